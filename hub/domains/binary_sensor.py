"""What sees one of two things: open or closed, motion or none."""

from __future__ import annotations

from hub.domains.domain import Domain

BINARY_SENSOR = Domain(
    name="binary_sensor",
    description="What sees one of two things; on means open, motion, wet, … by its device class.",
    states=("on", "off"),
    device_classes=(
        "battery",
        "battery_charging",
        "carbon_monoxide",
        "cold",
        "connectivity",
        "door",
        "garage_door",
        "gas",
        "heat",
        "light",
        "lock",
        "moisture",
        "motion",
        "moving",
        "occupancy",
        "opening",
        "plug",
        "power",
        "presence",
        "problem",
        "running",
        "safety",
        "smoke",
        "sound",
        "tamper",
        "update",
        "vibration",
        "window",
    ),
)
