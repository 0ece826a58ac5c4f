"""`python -m hub` is `earnest`."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line; returns the exit code."""
    from hub.cli.main import main as run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
