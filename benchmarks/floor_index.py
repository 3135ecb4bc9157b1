"""The least that makes a folder searchable: read, libyaml, one insert into FTS5, in one process.

usage: python floor_index.py FOLDER INDEX     (run by its path)
"""

import sqlite3
import sys
from pathlib import Path

import yaml


def build(folder: Path, index: Path) -> int:
    """Make the index from nothing; return how many notes are in it."""
    for end in ("", "-wal", "-shm"):
        Path(f"{index}{end}").unlink(missing_ok=True)
    database = sqlite3.connect(index)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = NORMAL")
    database.execute("CREATE TABLE note (path TEXT UNIQUE, title TEXT, type TEXT)")
    database.execute("CREATE VIRTUAL TABLE words USING fts5 (title, body, tokenize = 'unicode61 remove_diacritics 2')")
    number = 0
    for number, file in enumerate(sorted(folder.rglob("*.md")), start=1):
        _, head, body = file.read_text(encoding="utf-8").split("---\n", 2)
        fields = yaml.load(head, Loader=yaml.CSafeLoader)
        row = (number, str(file.relative_to(folder)), fields["title"], fields["type"])
        database.execute("INSERT INTO note (rowid, path, title, type) VALUES (?, ?, ?, ?)", row)
        database.execute("INSERT INTO words (rowid, title, body) VALUES (?, ?, ?)", (number, fields["title"], body))
    database.commit()
    database.close()
    return number


if __name__ == "__main__":
    print(build(Path(sys.argv[1]), Path(sys.argv[2])))
