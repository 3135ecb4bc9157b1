"""The application that a server runs.

`cabecao serve` chooses its brain before it imports this; another server names the folder in CABECAO_BRAIN.
"""

from __future__ import annotations

import os
from pathlib import Path

from django.core.asgi import get_asgi_application

from cabecao_site import bootstrap, environment

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "cabecao_site.settings")
if environment.text("CABECAO_BRAIN"):
    bootstrap.start(Path(environment.text("CABECAO_BRAIN")), lean=False)
    bootstrap.prepare_records()

application = get_asgi_application()
