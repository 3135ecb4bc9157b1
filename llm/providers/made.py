"""The provider of an entry of llm.json, by the protocol that it speaks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from llm.consent import Entry
from llm.keys import Keys
from llm.known import Protocol
from llm.providers.anthropic import Anthropic
from llm.providers.base import Provider
from llm.providers.claude_code import ClaudeCode
from llm.providers.gemini import Gemini
from llm.providers.ollama import Ollama
from llm.providers.openai_compatible import OpenAiCompatible

_OF_PROTOCOL: Final[Mapping[Protocol, Callable[[Entry, Keys], Provider]]] = {
    Protocol.CLAUDE_CODE: ClaudeCode,
    Protocol.ANTHROPIC: Anthropic,
    Protocol.OPENAI: OpenAiCompatible,
    Protocol.GEMINI: Gemini,
    Protocol.OLLAMA: Ollama,
}


def provider(entry: Entry, keys: Keys) -> Provider:
    """Return what answers for an entry."""
    return _OF_PROTOCOL[entry.known.protocol](entry, keys)
