"""Where somebody begins to speak in the sound of a microphone."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

from hub.audio import SPEECH, FrameCutter
from hub.pipeline.feed import BATCH, judged
from hub.pipeline.segment import SegmentConfig, Segmenter
from hub.rooms.ear import Listening
from hub.stages.vad import Vad

_FOR_EVER = 600.0


async def begins(vad: Vad, config: SegmentConfig, sound: Listening) -> int | None:
    """Return the microphone's sample at which speech begins, when it has; None when the sound ends first.

    Raises `EngineError`.
    """
    config = replace(config, no_speech_timeout=_FOR_EVER)
    with closing(vad.open()) as stream:
        cutter = FrameCutter(stream.frame_samples)
        segmenter, first = Segmenter(config, stream.frame_samples, is_live=False), sound.start
        async for chunk in sound:
            frames = cutter.cut(chunk.pcm)
            for start in range(0, len(frames), BATCH):
                some = frames[start : start + BATCH]
                for frame, probability in zip(some, await judged(stream, some), strict=True):
                    if started := segmenter.push(frame, probability).started:
                        return first + round((started.offset + sound.lost) * SPEECH.rate)
    return None
