"""Kinds of numbers that several domains take."""

from __future__ import annotations

from typing import Annotated

from voluptuous import Length, Range

Percent = Annotated[float, Range(min=0, max=100)]
"""0 to 100 %."""
Step = Annotated[float, Range(min=-100, max=100)]
"""A change of -100 to 100 %."""
Seconds = Annotated[float, Range(min=0, max=6553)]
"""A short time in seconds."""
Degrees = Annotated[float, Range(min=-100, max=1000)]
"""A temperature in the unit of the house."""
Code = Annotated[str, Length(min=1, max=64)]
"""A code that a lock or an alarm asks for; never written down."""
Words = Annotated[str, Length(min=1, max=255)]
"""A short text."""
