from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("approval", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="ConfirmAnswer",
            fields=[
                ("digest", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("answer", models.CharField(max_length=10)),
                ("until", models.DateTimeField(db_index=True)),
            ],
            options={"db_table": "confirm_answer"},
        ),
    ]
