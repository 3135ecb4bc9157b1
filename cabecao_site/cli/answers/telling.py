"""`cabecao llm status` and `cabecao llm test`: the whole for the person, on or off for an agent."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from brain.contracts.reads import ANSWERS
from brain.language import gettext as _
from brain.services.asking import refusals, standing, wording
from brain.services.asking.standing import ProviderStanding
from cabecao_site.cli.run import NO_ANSWER, Run
from cabecao_site.cli.terminal import BOLD
from llm import addresses, consent, folders, transport
from llm import trial as trials
from llm.consent import Entry
from llm.failure import Failure
from llm.keys import Keys
from llm.switch import Off, On, enabled
from llm.trial import Trial

_UNFIT: Final = "?"


def status(run: Run) -> int:
    """Tell how answers stand; to an agent only whether they are on."""
    found = enabled(caller_is_person=run.caller.is_human)
    told: dict[str, Any] = {"answers": "on" if isinstance(found, On) else "off"}
    if run.caller.is_human:
        told |= _whole(found)
    if run.terminal.as_json:
        run.terminal.say_json(told)
    else:
        _show(run, told)
    return 0


def _whole(found: On | Off) -> dict[str, Any]:
    """Return everything that the person is told."""
    from brain.services.health import answers

    place = folders.place(os.environ)
    machine = standing.machine(found, place.folder, is_at_terminal=True)
    off = found if isinstance(found, Off) else None
    return {
        "reason": str(off.reason) if off else None,
        "what": machine.what if off else None,
        "said": answers.fault(found),
        "folder": str(place.folder),
        "for_agents": place.is_own,
        "providers": [_provider(one) for one in machine.providers],
        "limits": vars(machine.limits) if machine.limits else None,
        "used_this_hour": machine.used_in_hour,
        "proxy": _proxies(machine.entries),
    }


def _provider(one: ProviderStanding) -> dict[str, Any]:
    key = one.key
    return {
        "provider": one.name,
        "model": one.model,
        "destination": one.destination,
        "is_local": one.is_local,
        "key": {"from": key.source, "masked": key.masked, "missing": key.missing or None},
        "on": one.is_on,
    }


def _proxies(entries: tuple[Entry, ...]) -> dict[str, str | None]:
    """Return, for each provider at an address, the proxy that its requests go through; only its host and port."""
    found: dict[str, str | None] = {}
    for entry in entries:
        if not entry.address:
            continue
        try:
            proxy = transport.proxy_for(addresses.parse(entry.address))
        except Failure:
            proxy = _UNFIT
        found[entry.provider] = _host(proxy) if proxy else None
    return found


def _host(proxy: str) -> str:
    parts = urlsplit(proxy)
    return parts.netloc.rpartition("@")[2] or _UNFIT


def _show(run: Run, told: dict[str, Any]) -> None:
    shown = run.terminal
    shown.say(shown.style(_(ANSWERS[told["answers"]]), BOLD))
    if "providers" not in told:
        return
    if told["said"]:
        shown.say(f"{shown.mark('warning')} {told['said']}")
    for one in told["providers"]:
        _show_provider(run, one, told["proxy"].get(one["provider"]))
    if not told["providers"]:
        shown.note(_("To turn them on: cabecao llm on"))
        return
    used = told["used_this_hour"]
    limits = told["limits"]
    shown.say(
        _("Questions in the last hour: %(used)s of %(most)d; at most %(session)d in an agent's session.")
        % {
            "used": "?" if used is None else used,
            "most": limits["max_calls_per_hour"],
            "session": limits["max_calls_per_session"],
        }
    )
    if not told["for_agents"]:
        shown.note(redirected(Path(told["folder"])))


def _show_provider(run: Run, one: dict[str, Any], proxy: str | None) -> None:
    shown, key = run.terminal, one["key"]
    mark = shown.mark("ok") if one["on"] else shown.mark("info")
    state = _("turned on") if one["on"] else _("turned off")
    named = shown.style(one["provider"], BOLD)
    shown.say(f"{mark} {named}  {state} · " + _("model %(model)s") % {"model": one["model"]})
    shown.say("    " + one["destination"])
    variable = key["from"].removeprefix(consent.VARIABLE) if key["from"].startswith(consent.VARIABLE) else ""
    facts = [wording.key(key["from"], variable), key["masked"] or "", key["missing"] or ""]
    shown.say("    " + _("key: %(key)s") % {"key": " · ".join(filter(None, facts))})
    if proxy == _UNFIT:
        shown.say(f"    {shown.mark('warning')} " + _("the proxy that the environment names cannot be used"))
    elif proxy:
        shown.say("    " + _("through the proxy %(proxy)s") % {"proxy": proxy})
    elif one["is_local"]:
        shown.say("    " + _("never through a proxy"))


def redirected(folder: Path) -> str:
    """Return that agents do not use a folder that the environment names."""
    return _(
        "The environment puts these settings into %(folder)s: they hold for you at the terminal; for agents answers "
        "stay off."
    ) % {"folder": folder}


def test(run: Run) -> int:
    """Make one minimal request to each provider that is on, with nothing from the brain."""
    found = enabled(caller_is_person=True)
    if isinstance(found, Off):
        return _tell_off(run)
    with refusals.told():
        keys = Keys(found.folder, is_person=True, environ=os.environ)
        done = [trials.run(entry, keys, found.limits) for entry in found.entries]
    if run.terminal.as_json:
        run.terminal.say_json({"tests": [_as_json(one) for one in done]})
    else:
        for one in done:
            trial(run, one, named=len(done) > 1)
    return NO_ANSWER if any(one.failure for one in done) else 0


def _tell_off(run: Run) -> int:
    if run.terminal.as_json:
        run.terminal.say_json({"tests": []})
    else:
        run.terminal.note(_("Answers are off: nothing was sent. To turn them on: cabecao llm on"))
    return NO_ANSWER


def _as_json(done: Trial) -> dict[str, Any]:
    failure = done.failure
    said, advice = wording.failure(failure) if failure else ("", "")
    return {
        "provider": done.provider,
        "works": failure is None,
        "seconds": round(done.seconds, 3),
        "reason": str(failure.code) if failure else None,
        "message": said,
        "next_step": advice,
    }


def trial(run: Run, done: Trial, *, named: bool = False) -> None:
    """Show how a test request went."""
    shown, who = run.terminal, f"{done.provider}: " if named else ""
    if done.failure is None:
        shown.say(f"{shown.mark('ok')} {who}" + _("Test: it worked in %(seconds)s s.") % {
            "seconds": wording.seconds(done.seconds)
        })  # fmt: skip
        return
    said, advice = wording.failure(done.failure)
    told = _("Test: it failed after %(seconds)s s: %(reason)s. It stays on.")
    shown.say(f"{shown.mark('warning')} {who}" + told % {"seconds": wording.seconds(done.seconds), "reason": said})
    shown.say(f"    {advice}")
