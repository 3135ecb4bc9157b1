"""Sizes that a note and its parts may have."""

from __future__ import annotations

from typing import Final

PATH_BYTES: Final = 1_000
SEGMENT_BYTES: Final = 200
NOTE_BYTES: Final = 5_000_000  # what a tool may leave behind; a person's own file may be larger
CONTENT_CHARACTERS: Final = 1_000_000
TITLE_CHARACTERS: Final = 500
QUERY_CHARACTERS: Final = 4_000
TASK_CHARACTERS: Final = 4_000
REASON_CHARACTERS: Final = 500
LIST_ITEMS: Final = 50
LIST_ITEM_CHARACTERS: Final = 2_000
