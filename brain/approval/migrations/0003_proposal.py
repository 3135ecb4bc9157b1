"""What agents asked for, until the person decides."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    """The proposals, and the confirmations that wait."""

    dependencies = (("approval", "0002_confirm_answer"),)

    operations = (
        migrations.CreateModel(
            name="Proposal",
            fields=[
                ("id", models.CharField(max_length=26, primary_key=True, serialize=False)),
                ("kind", models.CharField(max_length=12)),
                ("state", models.CharField(db_index=True, max_length=12)),
                ("key", models.CharField(db_index=True, max_length=64)),
                ("client", models.CharField(max_length=64)),
                ("session", models.CharField(blank=True, max_length=100)),
                ("surface", models.CharField(max_length=8)),
                ("operation", models.CharField(max_length=40)),
                ("arguments", models.TextField()),
                ("claim", models.TextField(blank=True)),
                ("why", models.TextField()),
                ("change", models.TextField()),
                ("content", models.CharField(blank=True, max_length=64)),
                ("created_at", models.DateTimeField()),
                ("until", models.DateTimeField(null=True)),
                ("decided_at", models.DateTimeField(null=True)),
                ("answer", models.TextField(blank=True)),
                ("op", models.CharField(blank=True, max_length=26)),
                ("commit", models.CharField(blank=True, max_length=64)),
                ("told", models.BooleanField(default=False)),
            ],
            options={"db_table": "proposal", "ordering": ("-id",)},
        ),
    )
