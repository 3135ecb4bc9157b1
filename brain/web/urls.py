"""The addresses of the pages: English, and the same in both languages."""

from django.urls import path

from brain.web import entrance, preferences

urlpatterns = [
    path("enter", entrance.enter, name="enter"),
    path("settings", preferences.settings, name="settings"),
    path("settings/theme", preferences.set_theme, name="set-theme"),
    path("settings/language", preferences.set_language, name="set-language"),
    path("settings/keys", preferences.set_keys, name="set-keys"),
]
