"""A turn for people: who did their part, and who did not."""

from hub.cli.record import told

RECORD = {
    "reason": "acted",
    "transcript": "turn on the lamp",
    "engines": {"vad": "vad", "asr": "whisper", "tts": "voice"},
    "failures": [
        {
            "stage": "asr",
            "code": "engine-down",
            "message": "'gpu' is down: connection refused",
            "engine": "gpu",
        },
        {"stage": "playback", "code": "timeout", "message": "the speaker did not end", "engine": None},
    ],
    "timeline": {"asr": 12.0, "total": 12.0},
}


def test_engines_that_failed_and_those_that_stood_in_are_told() -> None:
    assert told(RECORD).splitlines() == [
        "heard    “turn on the lamp”",
        "failed   asr gpu: 'gpu' is down: connection refused",
        "failed   playback: the speaker did not end",
        "engines  vad · asr whisper · tts voice",
        "ended    acted",
        "took     12.0 ms: asr 12.0",
    ]


def test_the_wake_word_is_told_first() -> None:
    record = RECORD | {"wake": {"word": "okay_nabu", "offset": 1.26}, "failures": []}
    assert told(record).splitlines()[0] == "woke     “okay nabu” after 1.3 s"


def test_what_strangers_say_cannot_write_over_the_screen_or_forge_a_line() -> None:
    message = "\x1b[31mred\nended    acted\u202e"
    failure = {"stage": "asr", "code": "engine-down", "message": message, "engine": "gpu"}
    shown = told({**RECORD, "transcript": "on\r\nsaid     “yes”\x07", "failures": [failure]})
    assert shown.splitlines() == [
        "heard    “on said “yes””",
        "failed   asr gpu: [31mred ended acted",
        "engines  vad · asr whisper · tts voice",
        "ended    acted",
        "took     12.0 ms: asr 12.0",
    ]
