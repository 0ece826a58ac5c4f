"""`earnest models list|get|remove|verify`: the models of speech engines."""

from __future__ import annotations

import argparse

from hub.cli.listing import pattern_argument


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what may be done with models."""
    does = parser.add_subparsers(dest="does", metavar="list|get|remove|verify", required=True)
    listing = does.add_parser("list", help="what there is, what is here, what is used", allow_abbrev=False)
    pattern_argument(listing)
    listing.add_argument("--language", metavar="CODE", help="only those that know it: de, pt_BR")
    listing.add_argument("--here", action="store_true", help="only those that are on this machine")
    get = does.add_parser("get", help="download", allow_abbrev=False)
    get.add_argument("--again", action="store_true", help="even if it is here: throw that away first")
    remove = does.add_parser("remove", help="remove what was downloaded", allow_abbrev=False)
    remove.add_argument("--force", action="store_true", help="even if the configuration needs it")
    verify = does.add_parser("verify", help="compare the digests of what is here", allow_abbrev=False)
    for one in (get, remove):
        one.add_argument("names", nargs="+", metavar="NAME", help="as `earnest models list` shows it")
    verify.add_argument("names", nargs="*", metavar="NAME", help="all that was downloaded if none is given")
    for one in (listing, get, remove, verify):
        one.add_argument("--integration", metavar="TYPE", help="only its models: faster_whisper, piper")
        one.add_argument("--json", action="store_true", help="print one JSON value a line")


def run(options: argparse.Namespace) -> int:
    """Do it without a hub; 1 in use, damaged or none such, 2 unknown name or no room, 3 not to be had."""
    from hub.cli.model_desk import Desk

    desk = Desk(options)
    does = {"list": desk.list, "get": desk.get, "remove": desk.remove, "verify": desk.verify}
    return does[options.does]()
