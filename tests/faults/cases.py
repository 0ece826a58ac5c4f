"""What a person hears when an engine fails: every fault, at every moment. docs/faults.md is made of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

ANSWER = "Hello to you."
GONE = "I can't hear you right now: my speech recognition isn't there."
LATE = "I can't hear you right now: my speech recognition isn't answering."
BROKEN = "I can't hear you right now: my speech recognition isn't working."
REGRET = "two falling notes"
PART = "its beginning, then two falling notes"
KILLED = "it was killed by SIGKILL"
ABORTED = "it was killed by SIGABRT"
CRASHED = "it ended with 1: the model file is broken"
FROZEN = "it gave no sign of life within 2 s"
HUNG = "it gave no answer within 1 s"
UNFINISHED = "it did not finish its answer within 1 s"
LEFT = "it ended with 3: the engine went on for 0.2 s after nobody waited for it"
ITS_ERROR = "cannot make that out"
NO_MEMORY = "there was not enough memory for this"
NO_WORDS = "'ears' gave no transcript within 3 s"
NO_SOUND = "'voice' gave no sound within 3 s"
NEVER_READY = "it was not ready within 2 s"
THRICE = f"{KILLED} (3 failures in a row)"
MEMORY_ERROR = "it ended with 1: MemoryError"
ITS_LAST_WORDS = f"it ended with 1: ValueError: {ITS_ERROR}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One thing that goes wrong, and what comes of it."""

    engine: Literal["ears", "voice"]
    moment: str
    fault: str
    times: int = 1
    """How often in a row."""
    has_spare: bool = False
    """Whether the pipeline has another one after it."""
    says: str = ANSWER
    """What the hub answers, to be read."""
    sound: str = "all of it"
    """What is heard of it."""
    reason: str = "answered"
    """Why the turn ended."""
    failure: str | None = None
    """What the turn's record says of the engine."""
    state: str = "open"
    """Of the integration, afterwards."""
    why: str | None = None
    """The reason in that state, or the last one when it is well again."""

    def __str__(self) -> str:
        spare = ", with a spare" if self.has_spare else ""
        return f"{self.engine}: {self.what} {self.moment}{spare}"

    @property
    def what(self) -> str:
        """The fault, and how often."""
        return self.fault + {1: "", 2: " twice", 3: " three times"}[self.times]

    @property
    def cue(self) -> str:
        """What the actor is told."""
        return f"{self.moment}: {self.fault}"


def _ears(moment: str, fault: str, says: str = ANSWER, **more: Any) -> Case:
    reason = "answered" if says == ANSWER else "failed"
    return _case("ears", moment=moment, fault=fault, says=says, reason=reason, **more)


def _voice(moment: str, fault: str, **more: Any) -> Case:
    return _case("voice", moment=moment, fault=fault, **more)


def _case(engine: Literal["ears", "voice"], told: str | None = None, **more: Any) -> Case:
    """Return a case; `told` is what the turn's record says of the engine before the reason."""
    failure = f"'{engine}' {told}: {more['why']}" if told else None
    return Case(engine=engine, **{"failure": failure, **more})


def _unopened(engine: Literal["ears", "voice"], fault: str, why: str, has_spare: bool = False) -> Case:
    """Return the case of an engine that does not start."""
    told = f"integration '{engine}' is not open: {why}"
    more = {"failure": told, "state": "failed", "why": why, "has_spare": has_spare}
    return _without(engine, "at its start", fault, more)


def _off(engine: Literal["ears", "voice"], has_spare: bool = False) -> Case:
    """Return the case of an engine that is killed again and again."""
    why = f"its worker is off: {THRICE}"
    told = f"'{engine}' is down: {why}" if has_spare else f"'{engine}' is off: {THRICE}"
    more = {"failure": told, "state": "failing", "why": why, "has_spare": has_spare, "times": 3}
    return _without(engine, "while idle", "is killed", more)


def _without(engine: Literal["ears", "voice"], moment: str, fault: str, more: dict[str, Any]) -> Case:
    """Return the case of an engine that is not there."""
    if engine == "voice":
        return _voice(moment, fault, sound="all of it" if more["has_spare"] else REGRET, **more)
    return _ears(moment, fault, ANSWER if more["has_spare"] else GONE, **more)


CASES = (
    _unopened("ears", "crashes", CRASHED),
    _unopened("ears", "is killed", KILLED),
    _unopened("ears", "hangs", NEVER_READY),
    _unopened("ears", "fails", ITS_LAST_WORDS),
    _unopened("ears", "needs too much memory", MEMORY_ERROR),
    _ears("at its start", "prints garbage"),
    _ears("while idle", "is killed", why=KILLED),
    _ears("while idle", "freezes", why=FROZEN),
    _off("ears"),
    _ears("while audio comes", "is killed", why=KILLED),
    _ears("while audio comes", "freezes", why=FROZEN),
    _ears("while it thinks", "crashes", why=CRASHED),
    _ears("while it thinks", "is killed", why=KILLED),
    _ears("while it thinks", "aborts", why=ABORTED),
    _ears("while it thinks", "freezes", why=FROZEN),
    _ears("while it thinks", "hangs", says=LATE, told="hung", why=HUNG),
    _ears("while it thinks", "is slow", says=LATE, failure=NO_WORDS, why=LEFT),
    _ears("while it thinks", "fails", says=BROKEN, failure=ITS_ERROR),
    _ears("while it thinks", "needs too much memory", says=BROKEN, failure=NO_MEMORY),
    _ears("while it thinks", "prints garbage"),
    _ears("while it thinks", "is killed", times=2, says=GONE, told="crashed", why=KILLED),
    _ears("in mid-answer", "is killed", why=KILLED),
    _ears("in mid-answer", "hangs", says=LATE, told="hung", why=UNFINISHED),
    _ears("in mid-answer", "fails", says=BROKEN, failure=ITS_ERROR),
    _unopened("voice", "crashes", CRASHED),
    _unopened("voice", "is killed", KILLED),
    _unopened("voice", "hangs", NEVER_READY),
    _unopened("voice", "fails", ITS_LAST_WORDS),
    _unopened("voice", "needs too much memory", MEMORY_ERROR),
    _voice("at its start", "prints garbage"),
    _voice("while idle", "is killed", why=KILLED),
    _voice("while idle", "freezes", why=FROZEN),
    _off("voice"),
    _voice("before the first sound", "crashes", why=CRASHED),
    _voice("before the first sound", "is killed", why=KILLED),
    _voice("before the first sound", "aborts", why=ABORTED),
    _voice("before the first sound", "freezes", why=FROZEN),
    _voice("before the first sound", "hangs", sound=REGRET, told="hung", why=HUNG),
    _voice("before the first sound", "is slow", sound=REGRET, failure=NO_SOUND, why=LEFT),
    _voice("before the first sound", "fails", sound=REGRET, failure=ITS_ERROR),
    _voice("before the first sound", "needs too much memory", sound=REGRET, failure=NO_MEMORY),
    _voice("before the first sound", "prints garbage"),
    _voice("before the first sound", "is killed", times=2, sound=REGRET, told="crashed", why=KILLED),
    _voice("after the first sound", "crashes", sound=PART, told="crashed", why=CRASHED),
    _voice("after the first sound", "is killed", sound=PART, told="crashed", why=KILLED),
    _voice("after the first sound", "aborts", sound=PART, told="crashed", why=ABORTED),
    _voice("after the first sound", "freezes", sound=PART, told="crashed", why=FROZEN),
    _voice("after the first sound", "hangs", sound=PART, told="hung", why=UNFINISHED),
    _voice("after the first sound", "is slow", sound=PART, failure=NO_SOUND, why=LEFT),
    _voice("after the first sound", "fails", sound=PART, failure=ITS_ERROR),
    _voice("after the first sound", "needs too much memory", sound=PART, failure=NO_MEMORY),
    _voice("after the first sound", "prints garbage"),
    _ears("while it thinks", "is killed", has_spare=True, times=2, told="crashed", why=KILLED),
    _ears("while it thinks", "hangs", has_spare=True, told="hung", why=HUNG),
    _off("ears", has_spare=True),
    _ears("while it thinks", "fails", has_spare=True, failure=ITS_ERROR),
    _voice("before the first sound", "is killed", has_spare=True, times=2, told="crashed", why=KILLED),
    _voice("before the first sound", "hangs", has_spare=True, told="hung", why=HUNG),
    _voice(
        "after the first sound",
        "is killed",
        has_spare=True,
        sound="its beginning",
        told="crashed",
        why=KILLED,
    ),
    _off("voice", has_spare=True),
    _unopened("voice", "crashes", CRASHED, has_spare=True),
)
