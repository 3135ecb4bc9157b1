"""What a client had read from outside before it asked."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    """Kept with each request."""

    dependencies = (("approval", "0003_proposal"),)

    operations = (
        migrations.AddField(
            model_name="proposal",
            name="outside",
            field=models.TextField(blank=True, default=""),
            preserve_default=False,
        ),
    )
