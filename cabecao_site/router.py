"""Which database each app lives in."""

from __future__ import annotations

from typing import Any

_OWN = {"index": "index", "audit": "audit"}


class ByApp:
    """Send the index and the audit log to their own databases, and all else to the state."""

    def db_for_read(self, model: type[Any], **_hints: Any) -> str:
        """Return the database that holds a model."""
        return _OWN.get(model._meta.app_label, "default")  # noqa: SLF001 (Django's own public name for it)

    db_for_write = db_for_read

    def allow_migrate(self, db: str, app_label: str, **_hints: Any) -> bool:
        """Tell whether an app's tables belong into a database."""
        return _OWN.get(app_label, "default") == db and app_label != "index"
