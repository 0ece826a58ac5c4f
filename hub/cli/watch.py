"""`earnest watch`: show what happens, live."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from hub.cli import exits
from hub.cli.connect import connected
from hub.cli.turn import json_argument
from hub.printable import printable

_LONGEST = 60
"""Characters shown of one value."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare which events."""
    parser.add_argument("events", nargs="*", metavar="EVENT", help="for instance state_changed; all if none")
    json_argument(parser)


def run(options: argparse.Namespace) -> int:
    """Print events until the hub stops (0) or Ctrl-C; counts of integrations only with `--json`."""
    with connected(options) as client:
        for event in client.events({"restrict": ",".join(options.events)}):
            if options.json or not _only_counts(event):
                print(json.dumps(event) if options.json else printable(told(event)), flush=True)
    return exits.DONE


def _only_counts(event: Mapping[str, Any]) -> bool:
    """Whether an integration only counted something: one that works does so all the time."""
    if event["event_type"] != "state_changed" or not event["data"]["entity_id"].startswith("integration."):
        return False
    old, new = (event["data"][side] or {} for side in ("old_state", "new_state"))
    return bool(old) and old.get("state") == new.get("state")


def told(event: Mapping[str, Any]) -> str:
    """Return an event as one line."""
    at = datetime.fromisoformat(event["time_fired"]).strftime("%H:%M:%S.%f")[:-3]
    return f"{at}  {event['event_type']:22}  {_details(event['event_type'], event['data'])}".rstrip()


def _details(kind: str, data: Mapping[str, Any]) -> str:
    if kind == "state_changed":
        old, new = ((data[side] or {}).get("state", "nothing") for side in ("old_state", "new_state"))
        return f"{data['entity_id']}  {old} → {new}"
    given = {name: value for name, value in data.items() if value not in (None, "", [], {})}
    return " ".join(f"{name}={_short(value)}" for name, value in given.items() if name != "record")


def _short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
