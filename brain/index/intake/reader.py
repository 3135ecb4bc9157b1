"""A second process that takes notes apart while the first one writes them; it ends with its standard input."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import queue
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import IO, Final

from brain import language
from brain.index.intake.extract import Extract
from brain.index.intake.settling import load

_AHEAD: Final = 3  # chunks that may be under way, so that neither side waits long nor fills its memory
_LENGTH: Final = 8
_PATIENCE: Final = 10.0  # seconds that a child gets to finish the chunk it is at


def read_beside(root: Path, chunks: Iterable[list[str]], relation_types: tuple[str, ...]) -> Iterator[list[Extract]]:
    """Yield the notes of the chunks of paths, the first one first, read by a child and, rather than wait, here.

    Where the child fails, the rest is read here.
    """
    waiting = iter(chunks)
    asked: list[list[str]] = []
    child = _start(root, relation_types)
    answers: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    listener = threading.Thread(target=_listen, args=(child, answers), daemon=True)
    listener.start()
    try:
        for chunk in islice(waiting, _AHEAD):
            asked.append(chunk)
            _ask(child, chunk)
        answered = False
        while asked:
            if answered and answers.empty() and (own := next(waiting, None)) is not None:
                yield read_here(root, own, relation_types)  # rather than wait
                continue
            if not (answer := answers.get()):
                break
            answered = True
            asked.pop(0)
            for chunk in islice(waiting, 1):
                asked.append(chunk)
                _ask(child, chunk)
            yield pickle.loads(answer)  # noqa: S301
    finally:
        _end(child, listener)
    for chunk in (*asked, *waiting):
        yield read_here(root, chunk, relation_types)


def read_here(root: Path, chunk: Iterable[str], relation_types: tuple[str, ...]) -> list[Extract]:
    """Return the notes of some paths; those that are gone are left out."""
    found = (load(root, path, relation_types=relation_types) for path in chunk)
    return [one for one in found if one is not None]


def main() -> None:
    """Answer each line of paths on standard input with the notes, their length in bytes before them."""
    root, relation_types = Path(sys.argv[1]), tuple(json.loads(sys.argv[2]))
    for line in sys.stdin.buffer:
        answer = pickle.dumps(read_here(root, json.loads(line), relation_types), pickle.HIGHEST_PROTOCOL)
        sys.stdout.buffer.write(len(answer).to_bytes(_LENGTH, "big") + answer)
        sys.stdout.buffer.flush()


def _start(root: Path, relation_types: tuple[str, ...]) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "CABECAO_LANG": language.current()}
    return subprocess.Popen(
        [sys.executable, "-m", __name__, str(root), json.dumps(relation_types)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
    )


def _ask(child: subprocess.Popen[bytes], chunk: list[str]) -> None:
    """Hand a chunk over; where the child is gone, its silence will tell."""
    with contextlib.suppress(OSError):
        _pipe(child.stdin).write(json.dumps(chunk).encode() + b"\n")
        _pipe(child.stdin).flush()


def _listen(child: subprocess.Popen[bytes], answers: queue.SimpleQueue[bytes]) -> None:
    """Pass on what the child answers, and nothing at its end."""
    stream = _pipe(child.stdout)
    while len(head := stream.read(_LENGTH)) == _LENGTH:
        length = int.from_bytes(head, "big")
        answer = stream.read(length)
        if len(answer) < length:
            break
        answers.put(answer)
    answers.put(b"")


def _end(child: subprocess.Popen[bytes], listener: threading.Thread) -> None:
    with contextlib.suppress(OSError):
        _pipe(child.stdin).close()
    try:
        child.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
    listener.join()
    _pipe(child.stdout).close()


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise OSError
    return stream


if __name__ == "__main__":
    main()
