"""The tables of passkeys and of wrong guesses."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("access", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="Guesses",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("wrong", models.IntegerField(default=0)),
                ("until", models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name="Passkey",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("credential", models.BinaryField(max_length=1024, unique=True)),
                ("public_key", models.BinaryField()),
                ("count", models.BigIntegerField()),
                ("host", models.CharField(max_length=100)),
                ("name", models.CharField(max_length=80)),
                ("created_at", models.DateTimeField()),
                ("used_at", models.DateTimeField(null=True)),
            ],
            options={"ordering": ("id",)},
        ),
    ]
