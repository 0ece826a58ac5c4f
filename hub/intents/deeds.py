"""Home Assistant's intents as actions of things, and those that are not done yet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hub.intents.reading import Reading
from hub.values.thing import Thing
from hub.values.tool import Target, ToolCall

UNSUPPORTED: Mapping[str, str] = {
    "HassBroadcast": "unsupported_broadcast",
    "HassCancelAllTimers": "unsupported_timers",
    "HassCancelTimer": "unsupported_timers",
    "HassDecreaseTimer": "unsupported_timers",
    "HassIncreaseTimer": "unsupported_timers",
    "HassMediaSearchAndPlay": "unsupported_media",
    "HassPauseTimer": "unsupported_timers",
    "HassStartTimer": "unsupported_timers",
    "HassTimerStatus": "unsupported_timers",
    "HassUnpauseTimer": "unsupported_timers",
    "HassVacuumCleanArea": "unsupported_rooms",
}
"""Intents that are understood and not done yet, with the sentence that says so."""


@dataclass(frozen=True, slots=True)
class Deed:
    """One action, by domain where domains call it differently."""

    action: str
    by_domain: Mapping[str, str] = field(default_factory=dict)
    arguments: Callable[[Reading], dict[str, Any]] = lambda _: {}

    def action_on(self, thing: Thing) -> str:
        """Return what this thing's domain calls the action."""
        return self.by_domain.get(thing.domain, self.action)


TURN_ON = Deed(
    "turn_on",
    {
        "button": "press",
        "cover": "open_cover",
        "input_button": "press",
        "lawn_mower": "start_mowing",
        "lock": "lock",
        "vacuum": "start",
        "valve": "open_valve",
    },
)
TURN_OFF = Deed(
    "turn_off",
    {
        "cover": "close_cover",
        "lawn_mower": "dock",
        "lock": "unlock",
        "vacuum": "return_to_base",
        "valve": "close_valve",
    },
)
_LIGHT = {"brightness": "brightness_pct", "color": "color_name", "temperature": "color_temp_kelvin"}

DEEDS: Mapping[str, Deed] = {
    "HassTurnOn": TURN_ON,
    "HassTurnOff": TURN_OFF,
    "HassLightSet": Deed(
        "turn_on",
        arguments=lambda r: {name: r.slots[slot] for slot, name in _LIGHT.items() if slot in r.slots},
    ),
    "HassSetPosition": Deed(
        "set_cover_position",
        {"valve": "set_valve_position"},
        lambda r: {"position": r.slots["position"]},
    ),
    "HassClimateSetTemperature": Deed(
        "set_temperature", arguments=lambda r: {"temperature": r.slots["temperature"]}
    ),
    "HassFanSetSpeed": Deed("set_percentage", arguments=lambda r: {"percentage": r.slots["percentage"]}),
    "HassVacuumStart": Deed("start"),
    "HassVacuumReturnToBase": Deed("return_to_base"),
    "HassLawnMowerStartMowing": Deed("start_mowing"),
    "HassLawnMowerDock": Deed("dock"),
    "HassMediaNext": Deed("media_next_track"),
    "HassMediaPrevious": Deed("media_previous_track"),
    "HassMediaPlayerMute": Deed("volume_mute", arguments=lambda _: {"is_volume_muted": True}),
    "HassMediaPlayerUnmute": Deed("volume_mute", arguments=lambda _: {"is_volume_muted": False}),
    "HassMediaPause": Deed("media_pause"),
    "HassMediaUnpause": Deed("media_play"),
    "HassSetVolume": Deed("volume_set", arguments=lambda r: {"volume_level": r.slots["volume_level"] / 100}),
    "HassListAddItem": Deed("add_item", arguments=lambda r: {"item": r.slots["item"]}),
    "HassListCompleteItem": Deed(
        "update_item", arguments=lambda r: {"item": r.slots["item"], "status": "completed"}
    ),
    "HassListRemoveItem": Deed("remove_item", arguments=lambda r: {"item": r.slots["item"]}),
}
"""Intents that are one action on the things they name."""


def calls(deed: Deed, things: Iterable[Thing], arguments: Mapping[str, Any]) -> tuple[ToolCall, ...]:
    """Return one call for each tool that the deed takes, with the things it is for.

    Of several things those are left out that say they cannot do it.
    """
    things = tuple(things)
    able = [thing for thing in things if thing.actions is None or deed.action_on(thing) in thing.actions]
    by_tool: dict[str, list[str]] = {}
    for thing in able or things:
        by_tool.setdefault(f"{thing.domain}.{deed.action_on(thing)}", []).append(thing.id)
    return tuple(
        ToolCall(tool=tool, arguments=arguments, target=Target(entities=tuple(ids)))
        for tool, ids in by_tool.items()
    )
