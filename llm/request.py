"""What a provider is asked: plain texts and the shape of the answer, made by whoever knows the notes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Request:
    """One request; `schema` is the JSON schema of the answer, which is JSON text."""

    system: str
    user: str
    schema: Mapping[str, object]
    max_output_tokens: int
