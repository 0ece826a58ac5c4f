"""What there is in the world: time zones, and languages whose sentences are known."""

from __future__ import annotations

from pathlib import Path
from zoneinfo import ZoneInfo, available_timezones

from hub.config.words import near, shown


def time_zone_problem(name: str) -> str | None:
    """Return what is wrong with the name of a time zone, or None."""
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return f"there is no time zone {shown(name)}{_meant(name)}"
    return None


def _meant(name: str) -> str:
    """Return a near match; a city alone is enough to find its zone."""
    zones = sorted(available_timezones())
    city = name.rpartition("/")[2].strip().replace(" ", "_").lower()
    cities = {zone.rpartition("/")[2].lower(): zone for zone in zones if "/" in zone}
    if city in cities and cities[city].lower() != name.lower():
        return f"; did you mean '{cities[city]}'?"
    return near(name, zones)


def languages() -> tuple[str, ...]:
    """Return the languages, without their regions, that home-assistant-intents has sentences for."""
    import importlib.util

    found = importlib.util.find_spec("home_assistant_intents")
    folders = [Path(folder) / "data" for folder in (found.submodule_search_locations or ())] if found else []
    files = {file.stem for folder in folders for file in folder.glob("*.json")}
    return tuple(sorted({file.partition("-")[0].lower() for file in files} - {"intents"}))
