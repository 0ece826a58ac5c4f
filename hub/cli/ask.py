"""`earnest ask TEXT`: understand a sentence and do what it says."""

from __future__ import annotations

import argparse
import sys

from hub.cli.connect import connected
from hub.cli.turn import shown, turn_arguments, turn_query


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the sentence and the options of a turn."""
    parser.add_argument("text", nargs="+", metavar="TEXT", help="the sentence, or - for standard input")
    turn_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Ask the hub; 0 acted or answered, 1 not understood."""
    text = " ".join(options.text)
    if text == "-":
        text = sys.stdin.read()
    with connected(options) as client:
        return shown(client.turn({"text": text, **turn_query(options)}), options)
