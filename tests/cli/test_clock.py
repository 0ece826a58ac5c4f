"""The house's time is the house's, whatever the machine or the container thinks."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from tests.cli.conftest import HOUSE, make_house

EAST = "Pacific/Kiritimati"
"""14 hours ahead of UTC: always another day than where the machine is, 11 hours behind it."""
WEST = "Pacific/Pago_Pago"


def test_time_and_days_are_those_of_the_house(folder: Path) -> None:
    house = make_house(folder, HOUSE + f"hub: {{time_zone: {EAST}}}\n")
    before = datetime.now(ZoneInfo(EAST))
    said = house.run("ask", "what time is it", environ={"TZ": WEST}).stdout
    at = house.run("call", "light.turn_on", "--target", "all", environ={"TZ": WEST})
    after = datetime.now(ZoneInfo(EAST)) + timedelta(minutes=1)
    minutes = (after - before) // timedelta(minutes=1)
    possible = [before + timedelta(minutes=minute) for minute in range(minutes + 1)]
    assert any(f"{time:%I:%M %p}".lstrip("0") in said for time in possible), said
    assert at.returncode == 0
    days = {path.stem for path in (house.data / "audit").iterdir()}
    assert days <= {before.date().isoformat(), after.date().isoformat()}
