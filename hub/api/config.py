"""Settings of the API, all of them limits but the socket's place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from voluptuous import Range


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiConfig:
    """Settings under `api:` in the YAML."""

    socket: str | None = None
    """Path of the control socket; without one it is `earnest.sock` in `$XDG_RUNTIME_DIR`, and
    where that is not ours, in the folder `run` of the data folder."""
    body_limit: Annotated[int, Range(min=1_024)] = 1_048_576
    """Bytes of a request's JSON."""
    text_limit: Annotated[int, Range(min=16)] = 2_000
    """Characters of a sentence."""
    body_timeout: Annotated[float, Range(min=0.1)] = 10.0
    """Seconds the hub waits for the JSON of a request."""
    audio_timeout: Annotated[float, Range(min=0.1)] = 10.0
    """Seconds the hub waits for the next piece of a recording."""
    request_timeout: Annotated[float, Range(min=0.1)] = 120.0
    """Seconds a request may take that is neither a turn nor a stream of events."""
    write_timeout: Annotated[float, Range(min=0.1)] = 10.0
    """Seconds a reader may leave its answer unread before the hub lets go of it."""
    idle_timeout: Annotated[float, Range(min=0.1)] = 60.0
    """Seconds a connection may stay open without a whole request."""
    stop_timeout: Annotated[float, Range(min=0)] = 1.5
    """Seconds that running requests may go on when the hub stops; then they are cancelled."""
    connections: Annotated[int, Range(min=1)] = 256
    """Connections at one time; one more is closed at once."""
    viewer_events: Annotated[int, Range(min=1)] = 1_024
    """Events kept for a viewer that reads slowly; then it loses the oldest and is told how many."""
    viewer_timeout: Annotated[float, Range(min=0.1)] = 300.0
    """Seconds a viewer of events may read nothing at all before the hub lets go of it."""
    heartbeat: Annotated[float, Range(min=0.1)] = 15.0
    """Seconds of silence after which a stream of events says that it is alive."""
