"""`cabecao eval`: how good the answers are, measured with the person's own questions."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from brain.language import gettext as _
from cabecao_site.cli.parser import Parser
from cabecao_site.cli.progress import Progress
from cabecao_site.cli.run import NO_ANSWER, Run

if TYPE_CHECKING:
    from brain.contracts.asking import AskOutput
    from brain.services.evaluating.answers import Answered, Figures, Share


def eval_options(grammar: Parser) -> None:
    """Add the file of questions."""
    grammar.add_argument(
        "--answers", type=Path, required=True, metavar="FILE", help=_("questions for ask, a JSON object a line")
    )


def eval(run: Run) -> int:  # noqa: A001 (named like the command)
    """Ask each question and show the figures; 5 says that no provider made a single answer."""
    run.enter(records=False)
    from brain.index import refresh
    from brain.operations import dispatch
    from brain.services.evaluating import answers, questions

    refresh.catch_up()
    asked = questions.read(run.arguments.answers)

    def ask(given: dict[str, Any]) -> AskOutput:
        return cast("AskOutput", dispatch("ask", run.caller, {**given, "verbose": run.caller.is_human}))

    with Progress(_("Asking"), run.terminal) as progress:
        found = answers.measure(asked, ask, progress.advance)
    told = answers.figures(found, len(asked))
    if run.terminal.as_json:
        run.terminal.say_json({**asdict(told), "answers": [asdict(one) for one in found]})
    else:
        _show(run, told, found)
    return NO_ANSWER if told.unavailable == len(found) else 0


def _show(run: Run, told: Figures, found: list[Answered]) -> None:
    shown = run.terminal
    rows = (
        (_("Valid citations"), told.valid_citations),
        (_("Unsupported claims"), told.unsupported_claims),
        (_("Right source cited"), told.right_source),
        (_("Correct refusals"), told.correct_refusals),
        (_("Wrong refusals"), told.wrong_refusals),
    )
    width = max(len(name) for name, _share in rows)
    for name, share in rows:
        shown.say(f"{name:{width}}  {_of(share)}")
    times = {"seconds": told.seconds, "median": told.median_seconds}
    shown.say(_("%(seconds).1f s in all, %(median).1f s for a question (median)") % times)
    if told.input_tokens is not None and told.output_tokens is not None:
        shown.say(_("Tokens: %(given)d in, %(taken)d out") % {"given": told.input_tokens, "taken": told.output_tokens})
    for one in found:
        if not one.is_right:
            shown.say(shown.wrap(f"{shown.mark('warning')} {one.question} ({one.unavailable_reason or one.status})"))
    if told.unavailable or told.not_asked:
        left = {"unavailable": told.unavailable, "not_asked": told.not_asked}
        shown.note(_("Without an answer: %(unavailable)d; not asked: %(not_asked)d.") % left)


def _of(share: Share) -> str:
    if not share.of:
        return "–"
    return f"{share.count}/{share.of}  {share.count / share.of:.0%}"
