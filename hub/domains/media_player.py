"""Loudspeakers, televisions, receivers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from voluptuous import Length, Range

from hub.domains.domain import Action, Domain
from hub.domains.ranges import Words
from hub.values.tool import Effect

_Link = Annotated[str, Length(min=1, max=2000)]


@dataclass(frozen=True, slots=True, kw_only=True)
class VolumeSet:
    """How loud it is to be."""

    volume_level: Annotated[float, Range(min=0, max=1)]
    """0 is silent, 1 is as loud as it can."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VolumeMute:
    """Whether it is to be silent."""

    is_volume_muted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaSeek:
    """Where in the piece to go on."""

    seek_position: Annotated[float, Range(min=0)]
    """Seconds from its beginning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayMedia:
    """What is to be played."""

    media_content_id: _Link
    """A link, or an id that the player knows."""
    media_content_type: Words = "music"
    """For instance `music` or `video`."""
    enqueue: Literal["play", "next", "add", "replace"] | None = None
    """What becomes of the pieces that are waiting."""
    announce: bool = False
    """Whether what is playing goes on afterwards."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchMedia:
    """What to look for."""

    search_query: Words
    media_content_type: Words | None = None
    """Where to look, for instance `music`."""
    media_filter_classes: tuple[Words, ...] = ()
    """Kinds of media that are wanted, for instance `album`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectSource:
    """Where the sound is to come from."""

    source: Words
    """One of the player's own sources."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectSoundMode:
    """How it is to sound."""

    sound_mode: Words


@dataclass(frozen=True, slots=True, kw_only=True)
class ShuffleSet:
    """Whether pieces come in any order."""

    shuffle: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatSet:
    """What is to be played again."""

    repeat: Literal["off", "all", "one"]


def _once(name: str, description: str) -> Action:
    return Action(name=name, description=description, repeatable=False)


MEDIA_PLAYER = Domain(
    name="media_player",
    description="Loudspeakers, televisions and receivers.",
    states=("off", "on", "idle", "playing", "paused", "standby", "buffering"),
    attributes={
        "volume_level": "0 is silent, 1 is as loud as it can",
        "is_volume_muted": "whether it is silent",
        "media_title": "what is playing",
        "media_artist": "who plays it",
        "media_album_name": "the album it is from",
        "media_content_type": "for instance `music`",
        "media_duration": "seconds",
        "media_position": "seconds from its beginning",
        "source": "where the sound comes from",
        "source_list": "its sources",
        "sound_mode": "how it sounds",
        "shuffle": "whether pieces come in any order",
        "repeat": "`off`, `all` or `one`",
    },
    device_classes=("projector", "receiver", "speaker", "tv"),
    actions=(
        Action(name="turn_on", description="Turn players on."),
        Action(name="turn_off", description="Turn players off."),
        _once("toggle", "Turn on what is off, and off what is on."),
        _once("volume_up", "Make players a step louder."),
        _once("volume_down", "Make players a step quieter."),
        Action(name="volume_set", description="Set how loud players are.", parameters=VolumeSet),
        Action(name="volume_mute", description="Silence players, or not.", parameters=VolumeMute),
        Action(name="media_play", description="Go on playing."),
        Action(name="media_pause", description="Pause."),
        _once("media_play_pause", "Pause what plays, and go on with what is paused."),
        Action(name="media_stop", description="Stop playing."),
        _once("media_next_track", "Go on with the next piece."),
        _once("media_previous_track", "Go back to the piece before."),
        Action(name="media_seek", description="Go to a place in the piece.", parameters=MediaSeek),
        Action(name="play_media", description="Play something.", parameters=PlayMedia, repeatable=False),
        Action(
            name="search_media",
            description="Look for something to play.",
            parameters=SearchMedia,
            effect=Effect.READ,
        ),
        Action(name="clear_playlist", description="Forget the pieces that are waiting."),
        Action(name="select_source", description="Choose a source.", parameters=SelectSource),
        Action(name="select_sound_mode", description="Choose how it sounds.", parameters=SelectSoundMode),
        Action(name="shuffle_set", description="Play in any order, or not.", parameters=ShuffleSet),
        Action(name="repeat_set", description="Choose what is played again.", parameters=RepeatSet),
    ),
)
