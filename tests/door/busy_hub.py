"""A door in a process of its own that acts without a pause until it is killed.

`python busy_hub.py FOLDER` appends each call's id to `FOLDER/ran` from inside its tool, and prints a dot.
"""

from __future__ import annotations

import asyncio
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from hub.bus import Bus
from hub.clock import Clock
from hub.door.audit import AuditConfig, open_audit
from hub.door.policy import Policy
from hub.door.toolbox import Toolbox
from hub.house import House
from hub.states import States
from hub.values.thing import Thing
from hub.values.tool import Caller, Tool, ToolCall

AT_ONCE = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Nothing:
    """No parameters."""


async def main(folder: Path) -> None:
    """Act for ever."""
    bus, clock = Bus(), Clock()
    house = House(bus, States(bus, clock))
    ran = os.open(folder / "ran", os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    async def run(call: ToolCall, things: tuple[Thing, ...]) -> None:
        os.write(ran, f"{call.id}\n".encode())
        os.write(1, b".")

    tool = Tool(name="test.do", description="Do it.", parameters=Nothing, run=run)
    async with (
        open_audit(AuditConfig(), folder, clock) as audit,
        Toolbox(house=house, bus=bus, audit=audit, policy=Policy((), house)) as toolbox,
        asyncio.TaskGroup() as group,
    ):
        with toolbox.add([tool]):
            for number in range(AT_ONCE):
                group.create_task(_act(toolbox, Caller((f"cli:{number}",))))
            await asyncio.Event().wait()


async def _act(toolbox: Toolbox, caller: Caller) -> None:
    while True:
        await toolbox.call(ToolCall(tool="test.do"), caller)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
