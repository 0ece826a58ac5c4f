"""A turn for people: what was heard, who understood it, what was done and said, where the time went."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hub.printable import printable

_WIDTH = 9
_LEAST = 0.05
"""Milliseconds below which an owner of time is left out."""


def told(record: Mapping[str, Any]) -> str:
    """Return the record of a turn as a few lines."""
    return "\n".join(f"{head:{_WIDTH}}{printable(text)}" for head, text in _lines(record))


def _lines(record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if wake := record.get("wake"):
        yield "woke", f"“{wake['word'].replace('_', ' ')}” after {wake['offset']:.1f} s"
    if record.get("transcript"):
        yield "heard", f"“{record['transcript']}”"
    if record.get("repaired"):
        yield "meant", f"“{record['repaired']['text']}”"
    for miss in record.get("misses") or ():
        yield "passed", f"{miss['stage']}: {miss['reason']}"
    match = record.get("match")
    if match:
        yield "matched", _matched(match)
    for call in record.get("calls") or ():
        yield "did" if call.get("ok") else "failed", _called(call)
    for failure in record.get("failures") or ():
        yield "failed", f"{_part(failure['stage'], failure.get('engine'))}: {failure['message']}"
    if record.get("reply"):
        yield "said", f"“{record['reply']}”"
    if record.get("engines"):
        yield "engines", " · ".join(_part(slot, name) for slot, name in record["engines"].items())
    yield "ended", str(record.get("reason", "")).replace("_", " ")
    yield "took", _timed(record.get("timeline") or {})


def _part(stage: str, engine: str | None) -> str:
    return f"{stage} {engine}" if engine and engine != stage else stage


def _matched(match: Mapping[str, Any]) -> str:
    slots = ", ".join(f"{name}={value}" for name, value in (match.get("slots") or {}).items())
    text = f"{match['stage']}: {match['intent']}" + (f" ({slots})" if slots else "")
    return f"{text}; {match['why']}" if match.get("why") else text


def _called(call: Mapping[str, Any]) -> str:
    args = " ".join(f"{name}={value}" for name, value in (call.get("args") or {}).items())
    text = " ".join(filter(None, (str(call.get("tool")), args)))
    targets = ", ".join(call.get("targets") or ())
    return f"{text} → {targets}" if targets else text


def _timed(timeline: Mapping[str, Any]) -> str:
    spent = {name: value for name, value in timeline.items() if isinstance(value, (int, float))}
    total = spent.pop("total", sum(spent.values()))
    parts = [f"{name} {value:.1f}" for name, value in spent.items() if value >= _LEAST]
    return f"{total:.1f} ms" + (f": {' · '.join(parts)}" if parts else "")
