"""The translation catalogues: `update` collects the texts, `compile` makes what programs read, `check` says what lacks.

Texts in the code and the templates are English; brain/locale/pt_BR holds the Portuguese. The compiled catalogue is
committed, so that nobody needs gettext's tools to install.
"""

from __future__ import annotations

import ast
import gettext
import io
import os
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from babel.messages import Catalog
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ("brain", "cabecao_site", "mcpbridge")
FOLDER = ROOT / "brain" / "locale" / "pt_BR" / "LC_MESSAGES"
PO, MO = FOLDER / "django.po", FOLDER / "django.mo"
UNREAD = {"static", "migrations", "example", "locale"}
PLACES = re.compile(r"%\(\w+\)[-#0 +.\d]*[a-z]|%[a-z]|\{\w*\}")
CALLS = {"_", "N_", "gettext", "gettext_lazy", "gettext_noop", "ngettext"}
KEYWORDS = {"gettext": None, "ngettext": (1, 2), "pgettext": ((1, "c"), 2), "npgettext": ((1, "c"), 2, 3)}
Text = str | Sequence[str]  # one form, or the forms for one and for many


def collected() -> Catalog:
    """Return every text of the code and the templates."""
    catalog = Catalog(charset="utf-8")
    for source in SOURCES:
        for file in sorted((ROOT / source).rglob("*")):
            if file.suffix in {".py", ".html", ".txt"} and not UNREAD & set(file.relative_to(ROOT).parts):
                for text, context in _texts(file):
                    catalog.add(text, context=context)
    return catalog


def _texts(file: Path) -> Iterator[tuple[str | tuple[str, ...], str | None]]:
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".py":
        yield from ((found, None) for found in _in_code(text))
        return
    stream = io.BytesIO(_as_code(text, str(file)).encode())
    for _line, found, _comments, context in extract("python", stream, KEYWORDS, options={"encoding": "utf-8"}):
        yield found, context


def _in_code(code: str) -> Iterator[str | tuple[str, ...]]:
    # Babel's own reader does not look into f-strings and joins the two texts of a conditional.
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Call) and node.args and _called(node) in CALLS:
            if _called(node) != "ngettext":
                yield from _written(node.args[0])
            elif forms := tuple(found for given in node.args[:2] for found in _written(given)):
                yield forms


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _written(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value:
        yield node.value
    if isinstance(node, ast.IfExp):
        yield from (*_written(node.body), *_written(node.orelse))
    if isinstance(node, ast.BoolOp):
        yield from (found for value in node.values for found in _written(value))


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
    catalog = portuguese()
    catalog.update(collected(), no_fuzzy_matching=True, update_creation_date=False)
    catalog.obsolete.clear()
    with PO.open("wb") as stream:
        write_po(
            stream, catalog, sort_output=True, no_location=True, omit_header=False, ignore_obsolete=True, width=120
        )
    print(f"{sum(1 for one in catalog if one.id)} texts, {len(_missing(catalog))} without a translation")
    return 0


def _missing(catalog: Catalog) -> list[str]:
    return [str(one.id) for one in catalog if one.id and not all(_forms(one.string or ""))]


def compile_catalogue() -> int:
    """Write the compiled catalogue."""
    with MO.open("wb") as stream:
        write_mo(stream, portuguese())
    return 0


def check() -> int:
    """Say which texts have no translation, which are not used, and whether the compiled catalogue is old."""
    found = faults(portuguese(), collected())
    if not found and _is_old(portuguese()):
        found.append("the compiled catalogue is old: run `make messages`")
    print("\n".join(found[:60]) or f"{len(portuguese())} texts, all translated")
    return 1 if found else 0


def faults(catalog: Catalog, wanted: Catalog) -> list[str]:
    """Return what a catalogue lacks of the texts that are wanted, has beyond them, or says with other placeholders."""
    known = {(one.id, one.context) for one in catalog if one.id}
    used = {(one.id, one.context) for one in wanted if one.id}
    found = [f"not in the catalogue: {one}" for one, _context in used - known]
    found += [f"no longer used: {one}" for one, _context in known - used]
    found += [f"without a translation: {one}" for one in _missing(catalog)]
    said = [(one.id, one.string) for one in catalog if one.id and one.string]
    found += [f"other placeholders: {text}" for text, translation in said if not _same_places(text, translation)]
    return found + [f"other blanks: {text}" for text, translation in said if not _same_ends(text, translation)]


def _same_places(text: Text, translation: Text) -> bool:
    # The form for one may leave its number out.
    wanted = set(PLACES.findall(_forms(text)[-1]))
    given = [set(PLACES.findall(form)) for form in _forms(translation) if form]
    return all(places == wanted for places in given[1:] or given) and all(places <= wanted for places in given)


def _same_ends(text: Text, translation: Text) -> bool:
    texts = [form for form in (*_forms(text), *_forms(translation)) if form]
    return len({(form[: len(form) - len(form.lstrip())], form[len(form.rstrip()) :]) for form in texts}) == 1


def _forms(text: Text) -> Sequence[str]:
    return (text,) if isinstance(text, str) else text


def _is_old(catalog: Catalog) -> bool:
    # The words are compared, not the bytes: those name the version of the tool that wrote them.
    stream = io.BytesIO()
    write_mo(stream, catalog)
    return _words(stream.getvalue()) != _words(MO.read_bytes())


def _words(compiled: bytes) -> dict[object, str]:
    words = vars(gettext.GNUTranslations(io.BytesIO(compiled)))["_catalog"]
    return {key: text for key, text in words.items() if key}


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.exit({"update": update, "compile": compile_catalogue, "check": check}[sys.argv[1]]())
