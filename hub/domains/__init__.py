"""The domains of the house: each declared once, with Home Assistant's names, for all integrations."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from hub.domains.alarm_control_panel import ALARM_CONTROL_PANEL
from hub.domains.binary_sensor import BINARY_SENSOR
from hub.domains.button import BUTTON
from hub.domains.climate import CLIMATE
from hub.domains.cover import COVER
from hub.domains.domain import Domain
from hub.domains.fan import FAN
from hub.domains.generic import generic_tools
from hub.domains.housekeeping import Keep, house_tools
from hub.domains.humidifier import HUMIDIFIER
from hub.domains.lawn_mower import LAWN_MOWER
from hub.domains.light import LIGHT
from hub.domains.lock import LOCK
from hub.domains.media_player import MEDIA_PLAYER
from hub.domains.number import NUMBER
from hub.domains.person import PERSON
from hub.domains.satellite import SATELLITE
from hub.domains.scene import SCENE
from hub.domains.script import SCRIPT
from hub.domains.select import SELECT
from hub.domains.sensor import SENSOR
from hub.domains.switch import SWITCH
from hub.domains.todo import LISTS
from hub.domains.vacuum import VACUUM
from hub.domains.valve import VALVE
from hub.domains.water_heater import WATER_HEATER
from hub.domains.weather import WEATHER
from hub.house import Given, House
from hub.values.tool import Tool

_EVERY = (
    ALARM_CONTROL_PANEL,
    BINARY_SENSOR,
    BUTTON,
    CLIMATE,
    COVER,
    FAN,
    HUMIDIFIER,
    LAWN_MOWER,
    LIGHT,
    LOCK,
    MEDIA_PLAYER,
    NUMBER,
    PERSON,
    SATELLITE,
    SCENE,
    SCRIPT,
    SELECT,
    SENSOR,
    SWITCH,
    LISTS,
    VACUUM,
    VALVE,
    WATER_HEATER,
    WEATHER,
)

DOMAINS: Mapping[str, Domain] = MappingProxyType({domain.name: domain for domain in _EVERY})
"""By name."""
DEVICE_CLASSES = frozenset(word for domain in _EVERY for word in domain.device_classes)
"""Of all domains; what a rule may name."""


async def _until_the_end(thing_id: str, given: Given) -> None:
    """Keep nothing: what is given holds until the hub stops."""


def tools(house: House, keep: Keep = _until_the_end, thing_timeout: float = 8.0) -> tuple[Tool, ...]:
    """Return the tools of all domains and those of the house; `keep` lets given names survive a restart."""
    acting = [tool for domain in _EVERY for tool in domain.tools(thing_timeout)]
    return (*acting, *generic_tools(DOMAINS, thing_timeout), *house_tools(house, keep, DOMAINS))
