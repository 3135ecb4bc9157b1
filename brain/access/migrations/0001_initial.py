"""The table of launch links."""

from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="LaunchLink",
            fields=[
                ("digest", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("created_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
                ("used_at", models.DateTimeField(null=True)),
            ],
        ),
    ]
