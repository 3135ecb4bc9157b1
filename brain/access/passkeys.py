"""Passkeys (WebAuthn): a key in the person's device or security key that signs what this server makes up.

A passkey is tied to the name in the address, not to the port: the origin that the browser signs, port and all, is what
keeps another server on this machine from using it.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.core import signing

from brain import clock
from brain.access import person
from brain.access.models import Passkey
from brain.errors import InvalidArgument
from brain.language import gettext as _

NAMES: Final = ("cabecao.localhost", "localhost")  # browsers make none for a number
MOST: Final = 20
_BYTES: Final = 32
SECONDS: Final = 300
_SALT: Final = "cabecao passkey"
_LONGEST: Final = 20_000


@dataclass(frozen=True)
class Place:
    """Where a page is served: the origin that the browser names, its host, and the browser session."""

    origin: str
    host: str
    session: str

    @property
    def can_have_one(self) -> bool:
        """Tell whether browsers make passkeys for this address."""
        return self.host in NAMES


@dataclass(frozen=True)
class Asked:
    """What the browser is asked for, as JSON, and the sealed challenge that comes back with its answer."""

    options: str
    seal: str


def at(place: Place) -> Sequence[Passkey]:
    """Return the passkeys of an address, the oldest first."""
    return list(Passkey.objects.filter(host=place.host)) if place.can_have_one else []


def ask_for_new(place: Place) -> Asked:
    """Return what a browser needs to make a passkey."""
    import webauthn
    from webauthn.helpers import structs

    challenge, who = secrets.token_bytes(_BYTES), person.find()
    options = webauthn.generate_registration_options(
        rp_id=place.host,
        rp_name="Cabeção",
        user_id=f"{who.pk}".encode(),
        user_name=person.NAME,
        user_display_name="Cabeção",
        challenge=challenge,
        authenticator_selection=structs.AuthenticatorSelectionCriteria(
            resident_key=structs.ResidentKeyRequirement.PREFERRED,
            user_verification=structs.UserVerificationRequirement.REQUIRED,
        ),
        exclude_credentials=[structs.PublicKeyCredentialDescriptor(id=bytes(one.credential)) for one in at(place)],
    )
    return Asked(webauthn.options_to_json(options), _sealed(challenge, place))


def ask_for_one_of(place: Place) -> Asked | None:
    """Return what a browser needs to sign with a passkey of this address; None where there is none."""
    known = at(place)
    if not known:
        return None
    import webauthn
    from webauthn.helpers import structs

    challenge = secrets.token_bytes(_BYTES)
    options = webauthn.generate_authentication_options(
        rp_id=place.host,
        challenge=challenge,
        allow_credentials=[structs.PublicKeyCredentialDescriptor(id=bytes(one.credential)) for one in known],
        user_verification=structs.UserVerificationRequirement.REQUIRED,
    )
    return Asked(webauthn.options_to_json(options), _sealed(challenge, place))


def keep(place: Place, *, answer: str, seal: str, name: str) -> Passkey:
    """Keep the passkey that a browser made; InvalidArgument where it is not what was asked for."""
    import webauthn
    from webauthn.helpers import exceptions

    if Passkey.objects.count() >= MOST:
        raise InvalidArgument(_("There are %(count)d passkeys already. Nothing was changed.") % {"count": MOST})
    challenge, _made = _opened(seal, place)
    try:
        made = webauthn.verify_registration_response(
            credential=_parsed(answer),
            expected_challenge=challenge,
            expected_rp_id=place.host,
            expected_origin=place.origin,
            require_user_verification=True,
        )
    except (exceptions.WebAuthnException, ValueError) as error:
        raise _refused() from error
    if Passkey.objects.filter(credential=made.credential_id).exists():
        raise InvalidArgument(_("This passkey is kept already. Nothing was changed."))
    return Passkey.objects.create(
        credential=made.credential_id,
        public_key=made.credential_public_key,
        count=made.sign_count,
        host=place.host,
        name=name,
        created_at=clock.now(),
    )


def is_signed(place: Place, *, answer: str, seal: str) -> bool:
    """Tell whether an answer is signed with a passkey of this address, and note that the passkey was used."""
    import webauthn
    from webauthn.helpers import base64url_to_bytes, exceptions

    try:
        (challenge, made), given = _opened(seal, place), _parsed(answer)
        one = Passkey.objects.filter(credential=base64url_to_bytes(str(given["id"])), host=place.host).first()
        if one is None or (one.used_at is not None and one.used_at.timestamp() >= made):
            return False
        found = webauthn.verify_authentication_response(
            credential=given,
            expected_challenge=challenge,
            expected_rp_id=place.host,
            expected_origin=place.origin,
            credential_public_key=bytes(one.public_key),
            credential_current_sign_count=one.count,
            require_user_verification=True,
        )
    except (exceptions.WebAuthnException, InvalidArgument, KeyError, ValueError):
        return False
    unused = Passkey.objects.filter(pk=one.pk, used_at=one.used_at)  # of one answer sent twice at once, one counts
    return unused.update(count=found.new_sign_count, used_at=clock.now()) == 1


def remove(identity: int) -> str | None:
    """Forget a passkey and return its name; None where there is none."""
    one = Passkey.objects.filter(pk=identity).first()
    if one is None:
        return None
    one.delete()
    return one.name


def _parsed(answer: str) -> dict[str, Any]:
    try:
        found = json.loads(answer) if len(answer) <= _LONGEST else None
    except ValueError as error:
        raise _refused() from error
    if not isinstance(found, dict):
        raise _refused()
    return found


def _refused() -> InvalidArgument:
    return InvalidArgument(
        _("The passkey is not what this page asked for. Nothing was changed."),
        next_step=_("Load the page again and try once more."),
    )


def _sealed(challenge: bytes, place: Place) -> str:
    """Return a challenge that only this browser session can bring back, so that looking at a page keeps nothing."""
    return signing.dumps([challenge.hex(), clock.now().timestamp(), place.origin, place.session], salt=_SALT)


def _opened(seal: str, place: Place) -> tuple[bytes, float]:
    """Return a challenge and when it was made."""
    try:
        challenge, made, origin, session = signing.loads(seal, salt=_SALT, max_age=SECONDS)
    except signing.BadSignature as error:
        raise _refused() from error
    if (origin, session) != (place.origin, place.session):
        raise _refused()
    return bytes.fromhex(challenge), float(made)
