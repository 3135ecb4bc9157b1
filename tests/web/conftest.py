"""A browser without scripts at the pages, outside or let in through a launch link."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.test import Client
from gallery import HOST

from brain import config, language


@pytest.fixture(autouse=True)
def gallery(settings, tmp_path):
    """Serve the gallery's pages from a brain of its own."""
    (tmp_path / ".cabecao.json").write_text('{"schema_version": 1}')
    config.enter(tmp_path)
    settings.ROOT_URLCONF = "gallery"
    settings.TEMPLATES = [{**django_settings.TEMPLATES[0], "DIRS": [Path(__file__).parent / "templates"]}]
    with language.activate("en"):
        yield
    config.leave()


@pytest.fixture
def stranger(db):
    """Someone without the cookie."""
    return Client(enforce_csrf_checks=True, headers={"host": HOST})


@pytest.fixture
def person(stranger):
    """The person, come in through a launch link."""
    from brain.access import launch

    assert stranger.get("/enter", {"c": launch.create()}).status_code == 302
    return stranger
