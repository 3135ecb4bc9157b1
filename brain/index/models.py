"""The tables of the index, a cache of the working tree: `schema` makes them, no migration ever touches them.

Written by `intake.rows` and `operations` alone, in plain SQL. `note` is the same number in every table, and in the
full text.
"""

# ruff: noqa: DJ001  (None and an empty text are two things in a frontmatter)
from __future__ import annotations

from typing import ClassVar

from django.db import models


class About(models.Model):
    """A fact about the index itself: its version, the last commit and the last scan it knows."""

    key = models.TextField(primary_key=True)
    value = models.TextField()

    class Meta:
        db_table = "meta"

    def __str__(self) -> str:
        return f"{self.key}={self.value}"


class Note(models.Model):
    """A note as its file was when it was last read."""

    note = models.IntegerField(primary_key=True)
    path = models.TextField(unique=True)
    folded_path = models.TextField(db_index=True)
    # The id it answers to; the copy of a file that has an id answers to none.
    identity = models.TextField(null=True, unique=True, db_column="id")
    written_id = models.TextField(null=True)
    title = models.TextField()
    type = models.TextField(null=True)
    scope = models.TextField()
    trust = models.TextField(null=True)
    origin = models.TextField(null=True)
    edited_by = models.TextField(null=True)
    approved_by = models.TextField(null=True)
    approved_at = models.TextField(null=True)
    created = models.TextField(null=True)
    updated = models.TextField(null=True)
    valid_from = models.TextField(null=True)
    valid_until = models.TextField(null=True)
    expires_at = models.TextField(null=True)
    superseded = models.BooleanField()
    archived = models.BooleanField()
    private = models.BooleanField()
    ring = models.IntegerField()
    subject = models.TextField(null=True)
    predicate = models.TextField(null=True)
    object = models.TextField(null=True)
    text_key = models.TextField(null=True)  # of a known type of note: equal where the words of two bodies are
    tags = models.TextField()
    sources = models.TextField()
    frontmatter_error = models.TextField(null=True)
    lossy = models.BooleanField()
    cut = models.BooleanField()
    confirmed = models.TextField(null=True)
    pii = models.TextField()
    retention = models.TextField(null=True)
    faulty = models.BooleanField()  # a field of its frontmatter breaks the schema; which one, the file says
    body_line = models.IntegerField()  # where the body begins in the file, counted from 1
    size = models.BigIntegerField()
    mtime_ns = models.BigIntegerField()
    read_ns = models.BigIntegerField()  # when it was read: an edit that follows at once may leave size and mtime alike
    digest = models.TextField()

    class Meta:
        db_table = "note"
        indexes: ClassVar = [
            models.Index(fields=["type", "updated"], name="note_by_type"),
            models.Index(fields=["updated"], name="note_by_time"),
            models.Index(fields=["text_key"], name="note_by_text", condition=models.Q(text_key__isnull=False)),
            models.Index(fields=["archived"], name="note_archived", condition=models.Q(archived=True)),
            models.Index(fields=["written_id"], name="note_copies", condition=models.Q(identity__isnull=True)),
        ]

    def __str__(self) -> str:
        return self.path


class Name(models.Model):
    """A key under which a note can be meant: its path or the end of it, file name, title, alias or id."""

    row = models.IntegerField(primary_key=True)
    note = models.BigIntegerField(db_index=True)
    key = models.TextField()
    kind = models.TextField()

    class Meta:
        db_table = "name"
        indexes: ClassVar = [models.Index(fields=["key", "note"], name="name_by_key")]

    def __str__(self) -> str:
        return f"{self.key} ({self.kind})"


class Link(models.Model):
    """A link as it is written; what it leads to is found by its key at each question."""

    row = models.IntegerField(primary_key=True)
    note = models.BigIntegerField(db_index=True)
    origin = models.TextField()
    type = models.TextField()
    target = models.TextField()
    key = models.TextField()
    heading = models.TextField(null=True)
    line = models.IntegerField(null=True)
    promises = models.BooleanField()  # it means a note for sure, so that it is broken where there is none

    class Meta:
        db_table = "link"
        indexes: ClassVar = [models.Index(fields=["key", "note"], name="link_by_key")]

    def __str__(self) -> str:
        return f"{self.type}: {self.target}"


class Block(models.Model):
    """A passage of a note: where it lies in the body, and the fingerprint in its citation."""

    row = models.IntegerField(primary_key=True)
    note = models.BigIntegerField()
    ordinal = models.IntegerField()
    start = models.IntegerField()
    end = models.IntegerField()
    line = models.IntegerField()
    heading_path = models.TextField()
    fingerprint = models.TextField()  # a citation without the ring before it

    class Meta:
        db_table = "block"
        indexes: ClassVar = [
            models.Index(fields=["note", "end"], name="block_by_place"),
            models.Index(fields=["fingerprint"], name="block_by_citation"),
        ]

    def __str__(self) -> str:
        return self.fingerprint


class Operation(models.Model):
    """An operation, from the trailers of its commit."""

    position = models.BigAutoField(primary_key=True)
    op = models.TextField(unique=True)
    commit = models.TextField()
    session = models.TextField(null=True)
    client = models.TextField(null=True)
    kind = models.TextField()
    at = models.TextField()
    subject = models.TextField()
    changes = models.TextField()
    paths = models.TextField()
    undoes = models.TextField(null=True)
    undone_by = models.TextField(null=True)

    class Meta:
        db_table = "operation"
        indexes: ClassVar = [
            models.Index(fields=["session", "position"], name="operation_by_session"),
            models.Index(fields=["client", "position"], name="operation_by_client"),
        ]

    def __str__(self) -> str:
        return self.op
