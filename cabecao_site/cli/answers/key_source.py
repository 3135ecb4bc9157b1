"""Where the key of a provider comes from: a variable, or typed at the terminal and kept; never an argument."""

from __future__ import annotations

import argparse
import getpass
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from brain.errors import InvalidArgument
from brain.language import gettext as _
from brain.services.asking import wording
from cabecao_site.cli.parser import UsageError
from cabecao_site.cli.terminal import Terminal
from llm import consent, keys
from llm.consent import Entry
from llm.failure import Failure
from llm.keys import Key, Keys, KeyStoreFailed, UnfitKey
from llm.known import Known, Need


@dataclass(frozen=True)
class KeySource:
    """`kept` is what llm.json says; the key to keep is in the variable `copied`, or `is_typed`, or the `stored` one."""

    kept: str = consent.NO_KEY
    copied: str = ""
    is_typed: bool = False
    stored: Key | None = field(default=None, repr=False)

    @property
    def shown(self) -> str:
        """Where it comes from, for the person."""
        if self.kept.startswith(consent.VARIABLE):
            return wording.key(self.kept, self.kept.removeprefix(consent.VARIABLE))
        place = wording.key(self.kept)
        if self.copied:
            return _("copied from the variable %(name)s, kept in %(place)s") % {"name": self.copied, "place": place}
        if self.stored is not None:
            return _("%(masked)s, kept in %(place)s") % {"masked": self.stored.masked, "place": place}
        return _("you paste it next, kept in %(place)s") % {"place": place} if self.is_typed else place


def with_stored(source: KeySource, entry: Entry, former: Entry | None, stored: Keys) -> KeySource:
    """Return a source of a typed key with the one that is kept for the same provider and address, if there is one."""
    if former is None or not source.is_typed or keys.account(former) != keys.account(entry):
        return source
    try:
        text = stored.stored(former)
        return replace(source, stored=keys.fit(text) if text else None)
    except (Failure, UnfitKey):
        return source


def choose(known: Known, given: argparse.Namespace, environ: Mapping[str, str]) -> KeySource:
    """Return where the key comes from, by what was given and what there is."""
    if known.need is Need.NONE:
        if given.key_env or given.store:
            raise UsageError(_("“%(provider)s” takes no key.") % {"provider": known.name})
        return KeySource()
    if given.key_env and given.store:
        raise UsageError(_("--key-env keeps no key: it cannot be given together with --store."))
    if given.key_env:
        _read(given.key_env, environ)
        return KeySource(consent.VARIABLE + given.key_env)
    has_variable = bool(known.variable and environ.get(known.variable))
    if has_variable:
        _read(known.variable, environ)
    if has_variable and not given.store:
        return KeySource(consent.VARIABLE + known.variable)
    kept = given.store or (consent.KEYRING if _has_system_store() else consent.KEY_FILE)
    return KeySource(kept, known.variable if has_variable else "", is_typed=not has_variable)


def _has_system_store() -> bool:
    try:
        return keys.system_backend() is not None
    except KeyStoreFailed:
        return False


def _read(name: str, environ: Mapping[str, str]) -> Key:
    """Return the key in a variable. What was given as its name is not repeated: it may be the key itself."""
    try:
        return keys.fit(environ.get(name, ""))
    except UnfitKey:
        raise InvalidArgument(
            _("The variable that was named holds no key. Nothing was changed."),
            next_step=_("Name a variable that is set, or leave it out to paste the key."),
        ) from None


def take(source: KeySource, known: Known, environ: Mapping[str, str], terminal: Terminal) -> Key | None:
    """Return the key to keep, None where there is none to keep; typed where the terminal does not show it."""
    if source.copied:
        return _read(source.copied, environ)
    asked = _("Use the key that is kept (%(masked)s)? With no you paste another.")
    if source.stored and terminal.confirm(asked % {"masked": source.stored.masked}, default=True):
        return source.stored
    return _typed(known) if source.is_typed else None


def _typed(known: Known) -> Key | None:
    optional = known.need is Need.OPTIONAL
    asked = _("Key (it is not shown; Enter for none): ") if optional else _("Key (it is not shown): ")
    try:
        text = getpass.getpass(asked)
    except EOFError:
        text = ""
    if optional and not text.strip():
        return None
    try:
        return keys.fit(text)
    except UnfitKey:
        raise InvalidArgument(
            _("What was typed cannot be a key. Nothing was changed."), next_step=_("Run the command again.")
        ) from None
