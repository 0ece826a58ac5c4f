"""Write the reference pages that follow from the code; a test keeps them current."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent

EVENTS = """\
# Events

What happened in the hub, as `earnest watch` and `GET /api/events` show it, in Home Assistant's shape:
`event_type` is the name below, `data` the fields beside it, `time_fired` the moment. A viewer that reads too
slowly loses the oldest events and is told how many by `events_lost`; nothing else in the hub waits for a
viewer. Events with `turn` and `at` belong to a turn and came that many milliseconds after it began. Audio is
shown by its size only.

This page is made from `hub/events.py` by `python docs/generate.py`.

"""
ON_THE_WIRE = {("state_changed", "old"): "old_state", ("state_changed", "new"): "new_state"}
"""Fields that Home Assistant's clients know by another name."""


def fields(kind: ast.ClassDef) -> Iterator[tuple[str, str]]:
    """Yield name and meaning of each field of a dataclass."""
    for node, after in zip(kind.body, [*kind.body[1:], None], strict=True):
        if isinstance(node, ast.AnnAssign) and "ClassVar" not in ast.unparse(node.annotation):
            doc = after.value if isinstance(after, ast.Expr) else None
            said = str(doc.value) if isinstance(doc, ast.Constant) else ""
            yield ast.unparse(node.target), " ".join(said.split())


def wire_name(kind: ast.ClassDef) -> str | None:
    """Return the event's name on the wire, or None for what only groups events."""
    for node in kind.body:
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "wire_name" and node.value:
            return str(ast.literal_eval(node.value))
    return None


def events() -> str:
    """Return the page of all events."""
    tree = ast.parse((ROOT / "hub" / "events.py").read_text(encoding="utf-8"))
    kinds = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    rows = ["| event | when | data |", "|---|---|---|"]
    for kind in kinds.values():
        if name := wire_name(kind):
            bases = [kinds[base.id] for base in kind.bases if isinstance(base, ast.Name) and base.id in kinds]
            cells = [f"`{field}`" for base in bases for field, _ in fields(base)]
            for field, said in fields(kind):
                cells.append(
                    f"`{ON_THE_WIRE.get((name, field), field)}`" + (f" ({said.rstrip('.')})" if said else "")
                )
            meaning = " ".join((ast.get_docstring(kind) or "").split())
            rows.append(f"| `{name}` | {meaning} | {', '.join(cells) or 'none'} |")
    return EVENTS + "\n".join(rows) + "\n"


FAULTS = """\
# When an engine fails

What a person hears or reads when something goes wrong with a speech engine, and how the turn ends. `ears`
stands for any recogniser that runs in a worker (`faster_whisper`), `voice` for any such voice (`piper`); the
person says "hello", and the house has the answer "{answer}" Each line is a test with a real worker process
under the real supervisor (`tests/faults`), and in each the next sentence is understood and answered again.
The waits were shortened for the tests; `worker:` and `limits:` of an integration set them.

A worker that crashes is started again at once and asked once more, so most crashes cost a moment and nobody
hears of them. Three failures in a row turn it off for `cool_down`. Where a pipeline has another engine, that
one takes over as soon as the first has failed. What was heard is never said twice.

How long that takes: a crash is seen at once. A worker that is frozen (it answers nothing, not even whether it
lives) is asked every `check` (2 s) and given `urgent` (3 s) while a request waits, so it is killed within
5 s, and the request is asked again of the new one. One that lives and only never answers has `line` (120 s),
or what `limits:` allows. Under a limit of `memory:` a library may also crash; the reason then names it.

This page is made from `tests/faults/cases.py` by `python docs/generate.py`.

"""
HEADS = {
    "ears": "## The recogniser",
    "voice": "## The voice",
    "spare": "## With another engine in the pipeline",
}


def faults() -> str:
    """Return the page of what a person hears when an engine fails."""
    sys.path.insert(0, str(ROOT))
    from tests.faults.cases import ANSWER, CASES

    parts = [FAULTS.format(answer=ANSWER)]
    for group, head in HEADS.items():
        cases = [case for case in CASES if ("spare" if case.has_spare else case.engine) == group]
        rows = [
            f"{head}\n",
            "| when | what | the hub says | heard | turn | record | state afterwards |",
            "|---|---|---|---|---|---|---|",
        ]
        for case in cases:
            what = f"{case.engine}: {case.what}" if group == "spare" else case.what
            state = f"`{case.state}`" + (f": {case.why}" if case.why else "")
            cells = (case.moment, what, case.says, case.sound, f"`{case.reason}`", case.failure or "", state)
            rows.append(f"| {' | '.join(cells)} |")
        parts.append("\n".join(rows) + "\n\n")
    return "".join(parts).rstrip() + "\n"


PAGES = {"events.md": events, "faults.md": faults}


def main() -> None:
    """Write every page."""
    for name, page in PAGES.items():
        (ROOT / "docs" / name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
