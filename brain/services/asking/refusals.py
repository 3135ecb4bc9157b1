"""What the package of language models refuses, as errors that every command tells alike."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from brain.errors import InvalidConfig, Locked
from brain.language import gettext as _
from llm.consent import InvalidSettings
from llm.folders import UnsafeFolder
from llm.keys import KeyStoreFailed


@contextmanager
def told() -> Iterator[None]:
    """Raise what is refused in the block as an error with a next step."""
    from filelock import Timeout

    try:
        yield
    except UnsafeFolder as error:
        raise InvalidConfig(
            _("Other users of this machine can change %(folder)s. Nothing was changed.") % {"folder": error.folder},
            next_step=_("Take the right to write there from them, such as with chmod go-w, then run it again."),
        ) from None
    except InvalidSettings as error:
        raise InvalidConfig(
            _("llm.json cannot be taken as it is (%(what)s). Nothing was changed.") % {"what": error},
            next_step=_("Correct it by hand, or run `cabecao llm on` again."),
        ) from None
    except KeyStoreFailed:
        raise Locked(
            _("The system's store of keys refused or did not answer."),
            next_step=_("Unlock it and run the command again, or keep the key with --store file."),
        ) from None
    except Timeout:
        raise Locked(_("Another process is changing the settings of answers. Nothing was changed.")) from None
