"""Notes for measuring: Portuguese-like, linked, the same bytes everywhere; N notes are the first N of any more."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Final

PER_FOLDER: Final = 500
_LITTLE: Final = "de a o que e do da em um para com não uma os no se na por mais as dos como mas ao ele das à seu"
_STARTS: Final = "b c d f g j l m n p r s t v br cr dr fl gr lh nh pr qu tr"
_MIDDLES: Final = "a e i o u á é ã õ ei ou ai"
_ENDS: Final = ("", "", "", "r", "s", "l", "ção", "nte", "dade", "mento")
_HEADINGS: Final = ("Contexto", "Decisão", "Motivo", "Próximos passos", "Referências", "Lições")
_TAGS: Final = ("fila", "saúde", "reunião", "infra", "leitura", "família", "segurança", "viagem")
_TYPES: Final = {
    "concept": "wiki/concepts",
    "entity": "wiki/entities",
    "synthesis": "wiki/syntheses",
    "decision": "memory/decisions",
    "gotcha": "memory/gotchas",
    "procedure": "memory/procedures",
    "fact": "memory/facts",
}
_PREDICATES: Final = ("usa", "depende_de", "mora_em", "responde_por", "custa")
_ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_WORDS: Final = 6000


@dataclass(frozen=True)
class Note:
    """A note: its path, and its frontmatter and body as they stand in the file."""

    path: str
    type: str
    title: str
    head: str
    body: str

    @property
    def text(self) -> str:
        """The whole file."""
        return self.head + self.body


@dataclass(frozen=True)
class Corpus:
    """A folder of notes, and questions that they answer."""

    folder: Path
    notes: tuple[Note, ...]
    queries: tuple[str, ...]


def write(folder: Path, count: int) -> Corpus:
    """Write the first `count` notes."""
    notes = tuple(map(note, range(count)))
    for one in notes:
        file = folder / one.path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(one.text, encoding="utf-8", newline="\n")
    return Corpus(folder, notes, tuple(queries(200, notes=count)))


def note(number: int) -> Note:
    """Return a note, which depends on its number alone."""
    rng, kind, title = random.Random(f"note {number}"), _kind(number), title_of(number)
    return Note(path_of(number), kind, title, _head(rng, kind, title, number), _body(rng, number))


def path_of(number: int) -> str:
    """Return where a note lies: in its type's folder, in one of many folders there."""
    place = number // len(_TYPES) // PER_FOLDER
    return f"{_TYPES[_kind(number)]}/{place:03d}/{title_of(number).lower().replace(' ', '-')}.md"


def _kind(number: int) -> str:
    return tuple(_TYPES)[number % len(_TYPES)]


def title_of(number: int) -> str:
    """Return a note's title; no two are equal."""
    rng = random.Random(f"title {number}")
    return f"{' '.join(rng.choices(_vocabulary()[200:], k=2)).capitalize()} {number}"


def queries(count: int, *, notes: int) -> Iterator[str]:
    """Return questions: a common word, two rarer ones, a rare one, a title that exists, and a sentence."""
    rng = random.Random("queries")
    words = _vocabulary()
    for place in range(count):
        kinds = (
            rng.choice(words[30:200]),
            f"{rng.choice(words[100:600])} {rng.choice(words[600:3000])}",
            rng.choice(words[3000:]),
            title_of(rng.randrange(notes)),
            f"{words[3]} {rng.choice(words[30:200])} {words[5]} {rng.choice(words[200:1500])}",
        )
        yield kinds[place % len(kinds)]


def _head(rng: random.Random, kind: str, title: str, number: int) -> str:
    made = f"2026-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}T{rng.randrange(24):02d}:30:00.000Z"
    tags = "".join(f"  - {tag}\n" for tag in rng.sample(_TAGS, k=2))
    name = "01" + "".join(rng.choices(_ALPHABET, k=24))
    fact = _fact(rng, number) if kind == "fact" else ""
    return f"---\nid: {name}\ntype: {kind}\ntitle: {title}\ntags:\n{tags}created: {made}\n{fact}---\n\n"


def _fact(rng: random.Random, number: int) -> str:
    since, years = rng.randint(2018, 2025), rng.randint(0, 3)
    until = f"valid_until: {since + years}-06-01\n" if years else ""
    parts = f'subject: "[[{title_of(rng.randrange(number))}]]"\npredicate: {rng.choice(_PREDICATES)}\n'
    return f"{parts}object: {title_of(rng.randrange(number))}\nvalid_from: {since}-06-01\n{until}"


def _body(rng: random.Random, number: int) -> str:
    parts = [_paragraph(rng, number)]
    for heading in rng.sample(_HEADINGS, k=rng.randint(1, 4)):
        items = "".join(f"- {_sentence(rng)}\n" for _ in range(rng.randrange(4)))
        parts.append(f"## {heading}\n\n{_paragraph(rng, number)}" + (f"\n{items}" if items else ""))
    return "\n".join(parts)


def _paragraph(rng: random.Random, number: int) -> str:
    sentences = [_sentence(rng) for _ in range(rng.randint(3, 9))]
    if number:
        sentences.append(f"Ver [[{title_of(rng.randrange(number))}]].")
    return " ".join(sentences) + "\n"


def _sentence(rng: random.Random) -> str:
    words = rng.choices(_vocabulary(), cum_weights=_weights(), k=rng.randint(6, 16))
    return " ".join(words).capitalize() + "."


@cache
def _vocabulary() -> tuple[str, ...]:
    """Return words, the most frequent first; none twice."""
    rng = random.Random("words")
    words = dict.fromkeys(_LITTLE.split())
    starts, middles = _STARTS.split(), _MIDDLES.split()
    while len(words) < _WORDS:
        syllables = (rng.choice(starts) + rng.choice(middles) for _ in range(rng.randint(2, 3)))
        words["".join(syllables) + rng.choice(_ENDS)] = None
    return tuple(words)


@cache
def _weights() -> tuple[float, ...]:
    """Return the sums of Zipf's law, as random.choices wants them."""
    return tuple(accumulate(1 / (place + 2.7) for place in range(_WORDS)))
