from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("jobs", "0001_jobs")]

    operations = [
        migrations.AddField(model_name="job", name="result", field=models.CharField(default="", max_length=500)),
        migrations.CreateModel(
            name="Schedule",
            fields=[
                ("kind", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("enabled", models.BooleanField(null=True)),
                ("every_seconds", models.PositiveIntegerField(null=True)),
                ("next_at", models.DateTimeField(null=True)),
                ("changed_by", models.CharField(default="", max_length=100)),
                ("changed_at", models.DateTimeField(null=True)),
            ],
        ),
    ]
