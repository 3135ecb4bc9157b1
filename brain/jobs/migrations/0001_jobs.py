from django.db import migrations, models

import brain.clock


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Worker",
            fields=[
                ("identity", models.CharField(max_length=200, primary_key=True, serialize=False)),
                ("seen_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Job",
            fields=[
                (
                    "id",
                    models.CharField(
                        default=brain.clock.new_id, editable=False, max_length=26, primary_key=True, serialize=False
                    ),
                ),
                ("kind", models.CharField(max_length=64)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "Queued"),
                            ("running", "Running"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                            ("cancelled", "Cancelled"),
                        ],
                        default="queued",
                        max_length=16,
                    ),
                ),
                ("progress", models.PositiveSmallIntegerField(default=0)),
                ("done", models.PositiveBigIntegerField(default=0)),
                ("total", models.PositiveBigIntegerField(default=0)),
                ("step", models.CharField(default="", max_length=200)),
                ("log", models.TextField(default="")),
                ("error_code", models.CharField(default="", max_length=64)),
                ("error_message", models.TextField(default="")),
                ("requested_by", models.CharField(default="", max_length=100)),
                ("created_at", models.DateTimeField(default=brain.clock.now)),
                ("sent_at", models.DateTimeField(null=True)),
                ("started_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
                ("heartbeat_at", models.DateTimeField(null=True)),
                ("worker", models.CharField(default="", max_length=200)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("cancel_requested", models.BooleanField(default=False)),
            ],
            options={
                "indexes": [
                    models.Index(fields=["state"], name="job_state"),
                    models.Index(fields=["kind"], name="job_kind"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("state__in", ["queued", "running"])),
                        fields=("kind",),
                        name="one_live_job_of_a_kind",
                    )
                ],
            },
        ),
    ]
