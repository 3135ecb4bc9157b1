"""Copy what the pages ship out of node_modules: fonts, the icon sprite, scripts, and their licences.

Run `npm ci` in this folder first. What it writes is committed, so that an installation needs no Node.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

HERE = Path(__file__).parent
MODULES = HERE / "node_modules"
STATIC = HERE.parent / "brain" / "web" / "static"

# Package of @fontsource-variable -> styles.
FONTS = {"inter": ("normal",), "source-serif-4": ("normal", "italic"), "jetbrains-mono": ("normal",)}
SUBSETS = ("latin", "latin-ext")
ICONS = (
    "activity",
    "archive",
    "arrow-left",
    "arrow-right",
    "book-open",
    "bot",
    "calendar-clock",
    "calendar-x",
    "check",
    "chevron-left",
    "chevron-right",
    "circle-alert",
    "circle-check",
    "circle-stop",
    "circle-x",
    "clock",
    "copy",
    "ellipsis",
    "file-text",
    "flag-triangle-right",
    "folder",
    "heart",
    "history",
    "git-commit-horizontal",
    "house",
    "inbox",
    "info",
    "key-round",
    "landmark",
    "link",
    "list-checks",
    "lock",
    "maximize",
    "menu",
    "message-circle-question-mark",
    "minus",
    "monitor",
    "moon",
    "pencil",
    "plus",
    "refresh-cw",
    "rotate-ccw",
    "scale",
    "search",
    "settings",
    "shield-check",
    "sun",
    "tag",
    "terminal",
    "triangle-alert",
    "undo-2",
    "user",
    "waypoints",
    "x",
)
# Package -> the script that it is built into.
SCRIPTS = {"graphology": "graphology.umd.min.js", "sigma": "sigma.min.js"}
SOURCE_MAP = re.compile(r"\n?//# sourceMappingURL=\S+\s*$")
SYMBOL = re.compile(r"<svg.*?>(.*?)</svg>", re.DOTALL)


def main() -> None:
    """Write fonts, sprite, scripts and licences into brain/web/static."""
    write_fonts()
    write_icons()
    write_scripts()


def write_fonts() -> None:
    """Copy the subsets of each family, and its licence beside them."""
    folder = STATIC / "fonts"
    folder.mkdir(parents=True, exist_ok=True)
    for family, styles in FONTS.items():
        package = MODULES / "@fontsource-variable" / family
        shutil.copyfile(package / "LICENSE", folder / f"{family}-LICENSE.txt")
        for subset in SUBSETS:
            for style in styles:
                name = f"{family}-{subset}-wght-{style}.woff2"
                shutil.copyfile(package / "files" / name, folder / name)


def write_icons() -> None:
    """Write one sprite of the icons in use."""
    symbols = "\n".join(symbol(name) for name in ICONS)
    sprite = f'<svg xmlns="http://www.w3.org/2000/svg">\n{symbols}\n</svg>\n'
    (STATIC / "icons.svg").write_text(sprite, encoding="utf-8")
    shutil.copyfile(MODULES / "lucide-static" / "LICENSE", STATIC / "icons-LICENSE.txt")


def write_scripts() -> None:
    """Copy the scripts as their packages build them, but for the last line that names a source map."""
    folder = STATIC / "graph"
    folder.mkdir(parents=True, exist_ok=True)
    for package, name in SCRIPTS.items():
        text = (MODULES / package / "dist" / name).read_text(encoding="utf-8")
        (folder / f"{package}.js").write_text(SOURCE_MAP.sub("", text), encoding="utf-8")
        shutil.copyfile(MODULES / package / "LICENSE.txt", folder / f"{package}-LICENSE.txt")


def symbol(name: str) -> str:
    """Return one icon as a symbol; the style sheet sets its stroke."""
    found = SYMBOL.search((MODULES / "lucide-static" / "icons" / f"{name}.svg").read_text(encoding="utf-8"))
    if found is None:
        raise SystemExit(f"{name}.svg holds no drawing")
    shapes = re.sub(r"\s*\n\s*", "", found[1]).replace(" />", "/>")
    return f'<symbol id="{name}" viewBox="0 0 24 24">{shapes}</symbol>'


if __name__ == "__main__":
    main()
