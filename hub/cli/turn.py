"""What `ask`, `hear` and `say` share: the options of a turn, its events, its record, its sound."""

from __future__ import annotations

import argparse
import json
import sys
from base64 import b64decode
from collections.abc import Iterator
from typing import Any

from hub.cli import exits
from hub.cli.client import Declined, HubGone
from hub.cli.record import told
from hub.cli.sound import Recording


def turn_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what every turn can be told."""
    parser.add_argument("--pipeline", metavar="NAME", help="the pipeline to use")
    parser.add_argument("--area", metavar="AREA", help="the room the speaker is in")
    parser.add_argument("--language", metavar="CODE", help="the language of the sentence")
    json_argument(parser)


def json_argument(parser: argparse.ArgumentParser) -> None:
    """Declare `--json`."""
    parser.add_argument("--json", action="store_true", help="print one JSON value a line")


def turn_query(options: argparse.Namespace) -> dict[str, Any]:
    """Return these options as the API takes them."""
    return {name: getattr(options, name) for name in ("pipeline", "area", "language")}


def shown(
    lines: Iterator[dict[str, Any]], options: argparse.Namespace, sound: Recording | None = None
) -> int:
    """Show a turn as it happens and return its exit code; its audio goes to `sound`."""
    record: dict[str, Any] | None = None
    for line in lines:
        if "reason" in line and "turn" in line and "type" not in line:
            record = line
        elif "code" in line and "type" not in line:
            raise Declined(line)
        elif line.get("type") == "tts-audio" and sound is not None:
            _keep(line["data"], sound)
            continue
        if options.json:
            print(json.dumps(line), flush=True)
    if record is None:
        raise HubGone("the hub went away before the turn was over")
    if not options.json:
        print(told(record))
    sys.stdout.flush()
    return exits.of_turn(record)


def _keep(piece: dict[str, Any], sound: Recording) -> None:
    sound.add(b64decode(piece["pcm"]), piece["rate"], piece["width"], piece["channels"])
