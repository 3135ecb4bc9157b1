"""Whether what an operation is given has the form that it asks for, and what is said where it has not.

A refusal names the field and never repeats a value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from brain.errors import InvalidArgument
from brain.language import gettext as _
from brain.language import gettext_noop as N_

CONFIRM_FIELD: Final = "confirm_token"

Model = TypeVar("Model", bound=BaseModel)

_HALF: Final = re.compile("[\ud800-\udfff]")
# What no text holds: a reader would not see it, and Git, YAML or a database may cut a text short there.
_CONTROL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def parse(model: type[Model], arguments: object, *, without: Collection[str] = ()) -> Model:
    """Return the checked input; InvalidArgument names the field and never repeats a value.

    `without` are fields of the model that this caller has not.
    """
    for name in without:
        if isinstance(arguments, Mapping) and name in arguments:
            raise InvalidArgument(_(_PLAIN["extra_forbidden"]) % {"field": name})
    for field, text in _texts(arguments):
        if not text.isascii() and _HALF.search(text):
            raise InvalidArgument(
                _("“%(field)s” holds half of a character pair. Nothing was changed.") % {"field": _named(field)},
                next_step=_("Send the text as UTF-8, each sign whole, and call again."),
            )
    try:
        return model.model_validate(arguments)
    except ValidationError as error:
        raise InvalidArgument(explain(error)) from None


def plain(given: BaseModel) -> str:
    """Return what an operation was given as JSON, without the token that may come with it."""
    try:
        return json.dumps(given.model_dump(exclude={CONFIRM_FIELD}), sort_keys=True, default=str)
    except (ValueError, RecursionError):
        raise InvalidArgument(_("The arguments are nested too deeply. Nothing was changed.")) from None


def refuse_control_characters(arguments: Mapping[str, Any], *, but: frozenset[str]) -> None:
    """Raise where a text to be written holds a control character other than a tab or a line end.

    `but` are the fields that only quote what is there already.
    """
    for field, text in _texts(arguments):
        found = None if field in but else _CONTROL.search(text)
        if found:
            raise InvalidArgument(
                _("“%(field)s” has a control character (U+%(sign)s). Nothing was changed.")
                % {"field": _named(field), "sign": f"{ord(found[0]):04X}"},
                next_step=_("Take it out, or write it as text such as \\x1b, and call again."),
            )


def _texts(arguments: object) -> Iterator[tuple[str, str]]:
    """Yield each text in the arguments, keys too, with the argument that it stands in."""
    waiting = list(arguments.items()) if isinstance(arguments, Mapping) else [("", arguments)]
    waiting += [("", one) for one, _value in waiting]
    while waiting:
        field, one = waiting.pop()
        if isinstance(one, str):
            yield str(field), one
        elif isinstance(one, Mapping):
            waiting += [(field, inner) for inner in (*one.keys(), *one.values())]
        elif isinstance(one, list):
            waiting += [(field, inner) for inner in one]


def _named(field: str) -> str:
    """Return an argument's name as it can be shown."""
    return field[:80] if field.isprintable() and field else _("an argument's name")


_PLAIN: Final[Mapping[str, str]] = {
    "missing": N_("“%(field)s” is missing."),
    "extra_forbidden": N_("There is no argument “%(field)s”."),
    "string_type": N_("“%(field)s” must be a text."),
    "int_type": N_("“%(field)s” must be a whole number."),
    "bool_type": N_("“%(field)s” must be true or false."),
    "list_type": N_("“%(field)s” must be a list."),
    "dict_type": N_("“%(field)s” must be an object."),
    "model_type": N_("The arguments must be an object."),
    "literal_error": N_("“%(field)s” must be one of: %(expected)s."),
    "too_long": N_("“%(field)s” is too long: at most %(max_length)s."),
    "string_too_long": N_("“%(field)s” may have at most %(max_length)s characters."),
    "string_too_short": N_("“%(field)s” may not be empty."),
    "greater_than_equal": N_("“%(field)s” must be at least %(ge)s."),
    "less_than_equal": N_("“%(field)s” must be at most %(le)s."),
    "string_pattern_mismatch": N_("“%(field)s” has signs that are not allowed there."),
    "illegible": N_("“%(field)s” has a control or invisible character."),
    "blank": N_("“%(field)s” may not be blank."),
    "not YYYY-MM-DD": N_("“%(field)s” must be a date of the form YYYY-MM-DD."),
    "not global or project:<name>": N_("“%(field)s” must be global or project:<name>, without spaces."),
    "path_or_id": N_("Give either path or id, one of them."),
    "path_or_content": N_("Give either path or content, one of them."),
    "one_decision": N_("Give an id and one of accept, reject, withdraw and rebase."),
    "op_or_session": N_("Give op or session, not both."),
    "fact_parts": N_("A fact has subject, predicate and object, all three."),
    "done_or_next": N_("A handoff has at least one item in done or next."),
    "finish_with_id": N_("finish takes a consolidation_id, and start takes none."),
    "title_at_finish": N_("A title goes with finish."),
    "only_facts": N_("Only a fact has subject, predicate and object."),
}


def explain(error: ValidationError) -> str:
    """Return the first faults of a validation as sentences."""
    sentences = [_sentence(one) for one in error.errors(include_url=False, include_input=False)[:3]]
    return " ".join(dict.fromkeys(sentences))


def _sentence(fault: Any) -> str:
    field = ".".join(str(part) for part in fault["loc"][:3])[:80]
    context = fault.get("ctx") or {}
    key = str(context["error"]) if fault["type"] == "value_error" and "error" in context else fault["type"]
    if key.startswith(("Invalid isoformat", "day ", "month ", "year ")):
        key = "not YYYY-MM-DD"
    key = "dict_type" if key == "model_type" and field else key
    template = _PLAIN.get(key)
    if template is None:
        return _("“%(field)s” is not valid.") % {"field": field}
    told = {name: value for name, value in context.items() if name != "error"}
    if "expected" in told:  # the library joins the values with an English word
        told["expected"] = ", ".join(re.findall(r"'([^']*)'", told["expected"])) or told["expected"]
    return _(template) % {"field": field, **told}
