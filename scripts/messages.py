"""The translation catalogues: `update` collects the texts, `compile` makes what programs read, `check` says what lacks.

Texts in the code and the templates are English; brain/locale/pt_BR holds the Portuguese. The compiled catalogue is
committed, so that nobody needs gettext's tools to install.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from babel.messages import Catalog
from babel.messages.extract import extract_python
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ("brain", "cabecao_site", "mcpbridge")
FOLDER = ROOT / "brain" / "locale" / "pt_BR" / "LC_MESSAGES"
PO, MO = FOLDER / "django.po", FOLDER / "django.mo"
KEYWORDS = {
    "_": None, "N_": None, "gettext": None, "gettext_lazy": None, "gettext_noop": None, "ngettext": (1, 2),
    "pgettext": ((1, "c"), 2), "npgettext": ((1, "c"), 2, 3),
}  # fmt: skip
Message = tuple[str | tuple[str, ...], str | None, str]


def collected() -> Catalog:
    """Return every text of the code and the templates."""
    catalog = Catalog(charset="utf-8")
    for source in SOURCES:
        for file in sorted((ROOT / source).rglob("*")):
            if file.suffix in {".py", ".html", ".txt"} and not {"static", "migrations", "example", "locale"} & set(
                file.parts
            ):
                for message, context, place in _texts(file):
                    catalog.add(message, locations=[(place, None)], context=context)  # type: ignore[list-item]
    return catalog


def _texts(file: Path) -> Iterator[Message]:
    text = file.read_text(encoding="utf-8")
    if file.suffix != ".py":
        text = _as_code(text, str(file))
    place = str(file.relative_to(ROOT))
    stream = io.BytesIO(text.encode())
    for _line, function, messages, _comments in extract_python(stream, list(KEYWORDS), [], {"encoding": "utf-8"}):
        found = messages if isinstance(messages, tuple) else (messages,)
        if function in ("pgettext", "npgettext"):
            yield (found[1] if function == "pgettext" else (found[1], found[2])), found[0], place
        elif found[0]:
            yield ((found[0], found[1]) if function == "ngettext" else found[0]), None, place


def _as_code(template: str, origin: str) -> str:
    from django.conf import settings

    if not settings.configured:
        settings.configure(USE_I18N=True)
    from django.utils.translation.template import templatize

    return templatize(template, origin=origin)


def portuguese() -> Catalog:
    """Return the Portuguese catalogue as it is."""
    with PO.open("rb") as stream:
        return read_po(stream, locale="pt_BR")


def update() -> int:
    """Bring the Portuguese catalogue up to the texts that there are; new ones come untranslated."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    catalog = portuguese() if PO.exists() else Catalog(locale="pt_BR", charset="utf-8")
    catalog.update(collected(), no_fuzzy_matching=True)
    catalog.obsolete.clear()
    with PO.open("wb") as stream:
        write_po(
            stream, catalog, sort_output=True, no_location=True, omit_header=False, ignore_obsolete=True, width=120
        )
    print(f"{sum(1 for one in catalog if one.id)} texts, {len(_missing(catalog))} without a translation")
    return 0


def _missing(catalog: Catalog) -> list[str]:
    lacking = [
        one for one in catalog if one.id and not (all(one.string) if isinstance(one.string, tuple) else one.string)
    ]
    return [str(one.id) for one in lacking]


def compiled(catalog: Catalog) -> bytes:
    """Return the catalogue in the form that programs read."""
    stream = io.BytesIO()
    write_mo(stream, catalog)
    return stream.getvalue()


def compile_catalogue() -> int:
    """Write the compiled catalogue."""
    MO.write_bytes(compiled(portuguese()))
    return 0


def check() -> int:
    """Say which texts have no translation, which are not used, and whether the compiled catalogue is old."""
    catalog, wanted = portuguese(), collected()
    known = {(one.id, one.context) for one in catalog if one.id}
    used = {(one.id, one.context) for one in wanted if one.id}
    faults = [f"not in the catalogue: {one}" for one, _context in used - known]
    faults += [f"no longer used: {one}" for one, _context in known - used]
    faults += [f"without a translation: {one}" for one in _missing(catalog)]
    faults += [f"other placeholders: {one.id}" for one in catalog if one.id and one.string and not _same_places(one)]
    if not faults and MO.read_bytes() != compiled(catalog):
        faults.append("the compiled catalogue is old: run `make messages`")
    print("\n".join(faults[:60]) or f"{len(known)} texts, all translated")
    return 1 if faults else 0


def _same_places(message: object) -> bool:
    return not list(message.check())  # type: ignore[attr-defined]


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.exit({"update": update, "compile": compile_catalogue, "check": check}[sys.argv[1]]())
