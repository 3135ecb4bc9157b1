"""Where each address leads, and what stands in when it leads nowhere."""

from django.urls import include, path

urlpatterns = [
    path("", include("brain.web.urls")),
]

handler400 = "brain.web.failures.bad_request"
handler403 = "brain.web.failures.forbidden"
handler404 = "brain.web.failures.missing"
handler500 = "brain.web.failures.broken"
