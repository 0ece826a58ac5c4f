"""The weather."""

from __future__ import annotations

from hub.domains.domain import Domain

WEATHER = Domain(
    name="weather",
    description="The weather: the state is the present condition.",
    states=(
        "clear-night",
        "cloudy",
        "exceptional",
        "fog",
        "hail",
        "lightning",
        "lightning-rainy",
        "partlycloudy",
        "pouring",
        "rainy",
        "snowy",
        "snowy-rainy",
        "sunny",
        "windy",
        "windy-variant",
    ),
    attributes={
        "temperature": "in `temperature_unit`",
        "temperature_unit": "unit of the temperature",
        "humidity": "percent",
        "pressure": "in `pressure_unit`",
        "wind_speed": "in `wind_speed_unit`",
        "wind_bearing": "degrees",
    },
)
