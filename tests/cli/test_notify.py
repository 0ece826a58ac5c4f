"""What systemd is told, through a real socket."""

from __future__ import annotations

import signal
import socket
from pathlib import Path

import pytest

from hub.cli import notify
from tests.cli.conftest import PATIENCE, make_house, started


def listening(address: str) -> socket.socket:
    """Return a socket as systemd has one."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    listener.bind(address)
    listener.settimeout(PATIENCE)
    return listener


def next_but_pulse(listener: socket.socket) -> str:
    """Return the next datagram that is not the sign of life."""
    while (said := listener.recv(4096).decode()) == "WATCHDOG=1":
        pass
    return said


def test_systemd_hears_of_start_life_reload_and_stop(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with listening(str(folder / "notify")) as listener:
        monkeypatch.setenv("NOTIFY_SOCKET", str(folder / "notify"))
        monkeypatch.setenv("WATCHDOG_USEC", "100000")
        with started(make_house(folder)) as process:
            ready = next_but_pulse(listener)
            assert ready.startswith("READY=1\nSTATUS=")
            assert "things" in ready
            assert {listener.recv(4096) for _ in range(3)} == {b"WATCHDOG=1"}
            process.send_signal(signal.SIGHUP)
            assert next_but_pulse(listener).startswith("RELOADING=1\nMONOTONIC_USEC=")
            assert next_but_pulse(listener) == "READY=1"
            process.send_signal(signal.SIGTERM)
            assert next_but_pulse(listener) == "STOPPING=1"


def test_an_abstract_socket_is_reached() -> None:
    with listening("\0earnest-test-notify") as listener:
        notify.tell("READY=1", environ={"NOTIFY_SOCKET": "@earnest-test-notify"})
        assert listener.recv(100) == b"READY=1"


@pytest.mark.parametrize("address", ["", "nonsense", "/nobody/listens/here"])
def test_where_nobody_listens_nothing_happens(address: str) -> None:
    notify.tell("READY=1", environ={"NOTIFY_SOCKET": address})


@pytest.mark.parametrize("asked", ["", "soon", "0", "1 for another process"])
async def test_a_sign_of_life_that_nobody_asked_for_is_not_given(asked: str) -> None:
    microseconds, _, another = asked.partition(" ")
    await notify.keep_alive({"WATCHDOG_USEC": microseconds} | ({"WATCHDOG_PID": "1"} if another else {}))
