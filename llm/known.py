"""The providers there are, as a table: adding one that speaks a known protocol is adding a row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Protocol(StrEnum):
    """How a provider is spoken to."""

    CLAUDE_CODE = "claude-code"
    ANTHROPIC = "anthropic"
    OPENAI = "openai"
    GEMINI = "gemini"
    OLLAMA = "ollama"


class Need(StrEnum):
    """Whether a provider wants a key."""

    NONE = "none"
    OPTIONAL = "optional"
    REQUIRED = "required"


@dataclass(frozen=True)
class Known:
    """One provider: `model` is the default, `variable` the usual name of its key in the environment."""

    name: str
    title: str
    protocol: Protocol
    address: str = ""
    model: str = ""
    variable: str = ""
    need: Need = Need.REQUIRED
    has_fixed_address: bool = True
    is_on_this_machine: bool = False

    @property
    def is_installed_agent(self) -> bool:
        """Tell whether it is an agent that is installed here."""
        return self.protocol is Protocol.CLAUDE_CODE


_TABLE: Final = (
    Known("claude-code", "Claude Code", Protocol.CLAUDE_CODE, model="haiku", need=Need.NONE),
    Known(
        "anthropic",
        "Anthropic",
        Protocol.ANTHROPIC,
        "https://api.anthropic.com",
        "claude-haiku-5-5",
        "ANTHROPIC_API_KEY",
    ),
    Known("openai", "OpenAI", Protocol.OPENAI, "https://api.openai.com/v1", "gpt-6-luna", "OPENAI_API_KEY"),
    Known(
        "gemini",
        "Google Gemini",
        Protocol.GEMINI,
        "https://generativelanguage.googleapis.com/v1beta",
        "gemini-3.5-flash-lite",
        "GEMINI_API_KEY",
    ),
    Known("openrouter", "OpenRouter", Protocol.OPENAI, "https://openrouter.ai/api/v1", "", "OPENROUTER_API_KEY"),
    Known("groq", "Groq", Protocol.OPENAI, "https://api.groq.com/openai/v1", "openai/gpt-oss-20b", "GROQ_API_KEY"),
    Known(
        "ollama",
        "Ollama",
        Protocol.OLLAMA,
        "http://localhost:11434",
        need=Need.NONE,
        has_fixed_address=False,
        is_on_this_machine=True,
    ),
    Known(
        "lmstudio",
        "LM Studio",
        Protocol.OPENAI,
        "http://localhost:1234/v1",
        need=Need.NONE,
        has_fixed_address=False,
        is_on_this_machine=True,
    ),
    Known("compatible", "OpenAI-compatible", Protocol.OPENAI, need=Need.OPTIONAL, has_fixed_address=False),
)
PROVIDERS: Final[Mapping[str, Known]] = {one.name: one for one in _TABLE}


def runs_elsewhere(known: Known, model: str) -> bool:
    """Tell whether a model of a local server runs on another machine all the same: Ollama's cloud models."""
    parts = model.casefold().replace("/", ":").split(":")
    return known.name == "ollama" and any(part == "cloud" or part.endswith("-cloud") for part in parts)
