"""A machine with a recogniser, as a process that a test may kill: `python -m tests.remote.box PORT`.

Says `ready` when it listens, and `chunk` when the first audio of an utterance has come.
"""

import asyncio
import sys

from hub.remote.wire import Event
from tests.remote.scripted import Client, Server, asr

HEARD = "the box heard this"


def _say(word: str) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


async def _hear(client: Client) -> None:
    await client.until("audio-chunk")
    _say("chunk")
    await client.until("audio-stop")
    await client.connection.write(Event("transcript", {"text": HEARD}))


async def main(port: int) -> None:
    """Listen until the end of the process."""
    server = Server("", asr(), _hear)
    listening = await asyncio.start_server(server.welcome, "127.0.0.1", port)
    _say("ready")
    await listening.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
