"""Where each address leads, and what stands in when it leads nowhere."""

from django.urls import include, path

from brain.api import api

urlpatterns = [
    path("api/", api.urls),
    path("admin/", include(("brain.admin", "admin"))),
    path("", include("brain.web.urls")),
]

handler400 = "brain.web.failures.bad_request"
handler403 = "brain.web.failures.forbidden"
handler404 = "brain.web.failures.missing"
handler500 = "brain.web.failures.broken"
