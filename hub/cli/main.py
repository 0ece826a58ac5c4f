"""From a command line to an exit code; no failure ends in a traceback."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Sequence

from hub.cli import exits
from hub.cli.verbs import parsed
from hub.errors import ConfigError, EarnestError
from hub.printable import printable


def main(argv: Sequence[str]) -> int:
    """Run one verb; returns the exit code."""
    try:
        _write_anything()
        verb, options = parsed(argv)
        code = verb.run(options)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return exits.INTERRUPTED
    except BrokenPipeError:
        _hush()
        return exits.BROKEN_PIPE
    except ConfigError as error:
        complain("the configuration cannot be used:")
        complain(str(error), prefix=False)
        return exits.WRONG
    except EarnestError as error:
        complain(str(error))
        return exits.of_code(getattr(error, "answer_code", error.code))
    except OSError as error:
        complain(f"{error.filename}: {error.strerror}" if error.filename else str(error))
        return exits.WRONG
    return code


def _write_anything() -> None:
    """Let what the output's encoding has no characters for be written as escapes."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def complain(message: str, *, prefix: bool = True) -> None:
    """Say what went wrong where it does not mix with the answer."""
    with contextlib.suppress(OSError):
        print(f"earnest: {printable(message)}" if prefix else message, file=sys.stderr, flush=True)


def _hush() -> None:
    """Let nothing more be written to a pipe that nobody reads."""
    quiet = os.open(os.devnull, os.O_WRONLY)
    with contextlib.suppress(OSError, ValueError):
        os.dup2(quiet, sys.stdout.fileno())
    os.close(quiet)
