"""Of a server with several programs and models the right one is asked for, or what is wrong is said."""

import pytest

from hub.errors import EngineUnavailable
from hub.remote.choice import Wish, choose, words_of
from hub.remote.offer import Model, Offer, Program

WHISPER = Program(
    name="whisper",
    models=(Model(name="tiny.en", languages=("en",)), Model(name="base", languages=("en", "de"))),
)
VOSK = Program(name="vosk", models=(Model(name="vosk-fr", languages=("fr",)),))
SILENT = Program(name="silent")
OFFER = Offer(
    asr=(WHISPER, VOSK),
    tts=(Program(name="piper", models=(Model(name="joe", languages=("en_US",)),)),),
    wake=(Program(name="oww", models=(Model(name="okay_nabu"), Model(name="hey_jarvis"))),),
)


@pytest.mark.parametrize(
    ("wish", "language", "program", "asked"),
    [
        (Wish(), "en-US", "whisper", (None, "en")),
        (Wish(), None, "whisper", (None, None)),
        (Wish(), "fr-CA", "vosk", ("vosk-fr", "fr")),
        (Wish(), "pl", "whisper", (None, "pl")),
        (Wish(model="base"), "de-AT", "whisper", ("base", "de")),
        (Wish(model="vosk-fr"), "en", "vosk", ("vosk-fr", "en")),
        (Wish(program="vosk"), "en", "vosk", ("vosk-fr", "en")),
        (Wish(program="whisper"), "de", "whisper", ("base", "de")),
        (Wish(language="de"), "en", "whisper", ("base", "de")),
        (Wish(language="fr"), None, "vosk", ("vosk-fr", "fr")),
        (Wish(program="whisper", model="tiny.en"), "en", "whisper", ("tiny.en", "en")),
    ],
)
def test_what_is_asked_for(
    wish: Wish, language: str | None, program: str, asked: tuple[str | None, str | None]
) -> None:
    found = choose(OFFER, "asr", wish, "tcp://box:1", language)
    assert (found.program.name, (found.name, found.language)) == (program, asked)


@pytest.mark.parametrize(
    ("kind", "wish", "complaint"),
    [
        ("asr", Wish(model="tiny.eng"), "tcp://box:1 has no model 'tiny.eng'; did you mean 'tiny.en'?"),
        ("asr", Wish(model="xyz"), "has no model 'xyz'; there are tiny.en, base, vosk-fr"),
        ("asr", Wish(program="wisper"), "has no program 'wisper'; did you mean 'whisper'?"),
        ("asr", Wish(program="vosk", model="base"), "has no model 'base'; there is vosk-fr"),
        ("asr", Wish(language="pl"), "has no language 'pl'; there are de, en, fr"),
        ("tts", Wish(model="amy"), "has no voice 'amy'; there is joe"),
        ("wake", Wish(model="okay_nabo"), "has no model 'okay_nabo'; did you mean 'okay_nabu'?"),
        ("handle", Wish(), "offers no answers"),
    ],
)
def test_what_is_not_there_is_said_with_what_is(kind: str, wish: Wish, complaint: str) -> None:
    with pytest.raises(EngineUnavailable) as caught:
        choose(OFFER, kind, wish, "tcp://box:1")
    assert complaint in str(caught.value)


def test_a_server_that_lists_nothing_is_believed_to_have_it() -> None:
    offer = Offer(asr=(SILENT,))
    assert choose(offer, "asr", Wish(model="large"), "x").name == "large"
    assert choose(offer, "asr", Wish(language="de"), "x").language == "de"


def test_wake_words_are_those_of_the_wish() -> None:
    assert words_of(OFFER, Wish(), "x") == ("okay_nabu", "hey_jarvis")
    assert words_of(OFFER, Wish(model="hey_jarvis"), "x") == ("hey_jarvis",)
