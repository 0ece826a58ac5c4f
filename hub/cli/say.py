"""`earnest say TEXT`: speak a text."""

from __future__ import annotations

import argparse
import sys

from hub.cli import exits
from hub.cli.connect import connected
from hub.cli.sound import Recording, out_argument
from hub.cli.turn import shown, turn_arguments, turn_query


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the text, where the speech goes, and the options of a turn."""
    parser.add_argument("text", nargs="+", metavar="TEXT", help="the text, or - for standard input")
    out_argument(parser)
    turn_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Let the hub speak; 0 said, 3 no voice."""
    text = " ".join(options.text)
    if text == "-":
        text = sys.stdin.read()
    sound = Recording(options.out)
    wish = {"text": text, "start": "tts", "end": "tts", "audio": True, **turn_query(options)}
    with connected(options) as client:
        code = shown(client.turn(wish), options, sound)
    if code != exits.DONE:  # what came is no speech, or not all of it
        return code
    if not options.out and not options.json:
        print(f"{sound.seconds:.1f} s of speech; --out FILE.wav keeps it")
    sound.save()
    return code
