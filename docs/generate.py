"""Write the reference pages that follow from the code; a test keeps them current."""

from __future__ import annotations

import ast
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


PAGES = {"events.md": events}


def main() -> None:
    """Write every page."""
    for name, page in PAGES.items():
        (ROOT / "docs" / name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
