from typing import Any

from django.db import migrations, models

SQLITE_TRIGGERS = {
    "audit_row_no_update": """
        CREATE TRIGGER audit_row_no_update BEFORE UPDATE ON audit_row
        BEGIN SELECT RAISE(ABORT, 'the audit log is never changed'); END""",
    "audit_row_no_delete": """
        CREATE TRIGGER audit_row_no_delete BEFORE DELETE ON audit_row
        BEGIN SELECT RAISE(ABORT, 'the audit log is never shortened'); END""",
    # REPLACE deletes without the trigger above, and a row that does not follow the last one is a fork.
    "audit_row_only_append": """
        CREATE TRIGGER audit_row_only_append BEFORE INSERT ON audit_row
        WHEN EXISTS (SELECT 1 FROM audit_row WHERE seq >= NEW.seq AND NEW.seq > 0)
            OR NEW.prev IS NOT COALESCE((SELECT hash FROM audit_row ORDER BY seq DESC LIMIT 1), 'genesis')
        BEGIN SELECT RAISE(ABORT, 'the audit log only grows at its end'); END""",
}


def create_triggers(_apps: Any, schema_editor: Any) -> None:
    if schema_editor.connection.vendor == "sqlite":
        for statement in SQLITE_TRIGGERS.values():
            schema_editor.execute(statement, params=None)


def drop_triggers(_apps: Any, schema_editor: Any) -> None:
    if schema_editor.connection.vendor == "sqlite":
        for name in SQLITE_TRIGGERS:
            schema_editor.execute(f"DROP TRIGGER {name}", params=None)


class Migration(migrations.Migration):
    initial = True
    dependencies = []
    operations = [
        migrations.CreateModel(
            name="Row",
            fields=[
                ("seq", models.BigAutoField(primary_key=True, serialize=False)),
                ("ts", models.TextField()),
                ("actor", models.TextField()),
                ("action", models.TextField()),
                ("subject", models.TextField(db_index=True)),
                ("detail", models.TextField()),
                ("prev", models.TextField()),
                ("hash", models.TextField()),
            ],
            options={"db_table": "audit_row", "ordering": ("seq",)},
        ),
        migrations.RunPython(create_triggers, drop_triggers),
    ]
