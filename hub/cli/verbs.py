"""The verbs, and how a command line becomes one."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NoReturn, Protocol

VERBS: Mapping[str, str] = MappingProxyType(
    {
        "init": "lay out the starter house, to run and to change",
        "run": "start the hub and keep it running",
        "check": "read the configuration and say everything that is wrong with it",
        "ask": "understand a sentence and do what it says",
        "hear": "run a whole turn on a recording",
        "say": "speak a text",
        "doctor": "test engines, ports and disk, and run one real turn",
        "tools": "list what can be done",
        "call": "call a tool",
        "states": "show what is",
        "things": "list the things of the house",
        "watch": "show what happens, live",
        "models": "list, download, remove and verify the models of engines",
        "reload": "let the hub read its configuration anew",
        "backup": "pack the whole house into one file, while its hub runs",
        "restore": "put a backup in the place of the house; what was there is kept aside",
    }
)
_ENDINGS = """\
exit codes:  0 acted or answered    1 not understood or refused
             2 configuration, command line or file    3 an engine or the hub failed
"""


class Verb(Protocol):
    """A module of `hub.cli` named like its verb."""

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the verb's own arguments."""

    def run(self, options: argparse.Namespace) -> int:
        """Do it; returns the exit code."""


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, and where to read on."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def parsed(argv: Sequence[str]) -> tuple[Verb, argparse.Namespace]:
    """Return the verb and its options; exits with 2 and a near match for what is unknown."""
    top = _top()
    options = top.parse_args(argv)
    if options.verb is None:
        top.print_help()
        top.exit(2)
    if options.verb not in VERBS:
        top.error(f"there is no verb '{options.verb}'{_near(options.verb)}")
    verb: Verb = importlib.import_module(f"hub.cli.{options.verb}")
    parser = _Parser(
        prog=f"earnest {options.verb}",
        description=VERBS[options.verb].capitalize() + ".",
        allow_abbrev=False,
        # `call` has a --data of its own; the folder then stands before the verb
        conflict_handler="resolve",
    )
    _globals(parser, default=argparse.SUPPRESS)
    verb.arguments(parser)
    return verb, parser.parse_args(options.rest, options)


def _top() -> argparse.ArgumentParser:
    lines = "\n".join(f"  {name:9} {text}" for name, text in VERBS.items())
    parser = _Parser(
        prog="earnest",
        usage="earnest [options] VERB …",
        description="The voice hub that asks before it acts and always shows when it listens.",
        epilog=f"verbs:\n{lines}\n\n{_ENDINGS}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    _globals(parser, default=None)
    parser.add_argument("--version", action="version", version=_version())
    parser.add_argument("verb", nargs="?", help=argparse.SUPPRESS)
    parser.add_argument("rest", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    return parser


def _globals(parser: argparse.ArgumentParser, default: str | None) -> None:
    where = parser.add_argument_group("the house")
    where.add_argument(
        "--config",
        metavar="DIR",
        default=default,
        help="folder with the YAML ($EARNEST_CONFIG, ./config, ~/.config/earnest)",
    )
    where.add_argument(
        "--data", metavar="DIR", default=default, help="folder for what must survive ($EARNEST_DATA)"
    )
    where.add_argument("--socket", metavar="PATH", default=default, help="the hub's control socket")


def _near(word: str) -> str:
    from hub.config.words import known, near

    return near(word, VERBS) or f"; {known(VERBS)}"


def _version() -> str:
    from hub import __version__

    return f"earnest {__version__}"
