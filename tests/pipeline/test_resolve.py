from pathlib import Path

import pytest

from hub.config.document import Document
from hub.config.schema import parse
from hub.config.source import load
from hub.errors import Problem
from hub.pipeline.config import Pipeline, PipelineConfig
from hub.pipeline.resolve import check, pipelines
from hub.pipeline.segment import SegmentConfig

NAMES = {
    "vad": ("silero",),
    "asr": ("whisper", "gpu_box"),
    "intents": ("commands", "home"),
    "agent": (),
    "tts": ("voice",),
}


def read(folder: Path, text: str) -> tuple[dict[str, PipelineConfig], Document]:
    file = folder / "config.yaml"
    file.write_text(text, encoding="utf-8")
    document = load(file)
    configs = {}
    for name in document.data["pipelines"]:
        config, problems = parse(PipelineConfig, document, ("pipelines", name))
        assert config is not None, problems
        configs[name] = config
    return configs, document


def problems(folder: Path, text: str) -> list[Problem]:
    return check(*read(folder, text), NAMES.__getitem__)


def test_the_example_of_the_house_is_read(tmp_path: Path) -> None:
    configs, document = read(
        tmp_path,
        """
pipelines:
  default: {vad: silero, asr: [gpu_box, whisper], intents: [commands, home], tts: voice}
  quiet: {inherit: default, reply: sound}
""",
    )
    assert check(configs, document, NAMES.__getitem__) == []
    default, quiet = pipelines(configs).values()
    assert default == Pipeline(
        vad="silero", asr=("gpu_box", "whisper"), intents=("commands", "home"), tts=("voice",)
    )
    assert (quiet.name, quiet.reply, quiet.asr, quiet.tts) == (
        "quiet",
        "sound",
        ("gpu_box", "whisper"),
        ("voice",),
    )


def test_an_option_comes_from_the_nearest_pipeline_that_sets_it(tmp_path: Path) -> None:
    configs, _ = read(
        tmp_path,
        """
pipelines:
  child: {inherit: parent, language: de, tts: []}
  parent: {inherit: grandparent, asr: whisper, segment: {silence: 1.2}}
  grandparent: {asr: gpu_box, tts: voice, language: fr, segment: {pre_roll: 0.2}}
""",
    )
    child = pipelines(configs)["child"]
    assert (child.language, child.asr, child.tts) == ("de", ("whisper",), ())
    assert child.segment == SegmentConfig(silence=1.2)


@pytest.mark.parametrize("nothing", ["null", "~", ""])
def test_an_inherited_detector_and_agent_are_taken_away_by_null(tmp_path: Path, nothing: str) -> None:
    configs, document = read(
        tmp_path,
        f"""
pipelines:
  parent: {{vad: silero, agent: butler, asr: whisper}}
  child:
    inherit: parent
    vad: {nothing}
    agent: {nothing}
  grandchild: {{inherit: child}}
""",
    )
    assert check(configs, document, {**NAMES, "agent": ("butler",)}.__getitem__) == []
    resolved = pipelines(configs)
    assert (resolved["parent"].vad, resolved["parent"].agent) == ("silero", "butler")
    assert [(resolved[name].vad, resolved[name].agent) for name in ("child", "grandchild")] == [
        (None, None)
    ] * 2
    assert resolved["grandchild"].asr == ("whisper",)


def test_a_pipeline_that_says_nothing_understands_text(tmp_path: Path) -> None:
    assert pipelines({"default": PipelineConfig()})["default"].intents == ("commands", "home")


def test_unknown_names_are_told_with_their_place_and_a_near_match(tmp_path: Path) -> None:
    found = problems(
        tmp_path,
        """pipelines:
  default:
    vad: silver
    asr: [whisper, gpubox]
    tts: nobody_like_it
    agent: ollama
  quiet: {inherit: defualt}
""",
    )
    assert [str(problem) for problem in found] == [
        "config.yaml:3:10: pipelines.default.vad: nothing for vad is named 'silver'; did you mean 'silero'?",
        "config.yaml:4:20: pipelines.default.asr[1]: nothing for asr is named 'gpubox'; "
        "did you mean 'gpu_box'?",
        "config.yaml:6:12: pipelines.default.agent: nothing for agent is named 'ollama'; there is none",
        "config.yaml:5:10: pipelines.default.tts: nothing for tts is named 'nobody_like_it'; there is voice",
        "config.yaml:7:20: pipelines.quiet.inherit: there is no pipeline 'defualt' to inherit from; "
        "did you mean 'default'?",
    ]


@pytest.mark.parametrize(
    ("text", "loops"),
    [
        ("{a: {inherit: a}}", {"a": "'a' inherits from itself: a → a"}),
        (
            "{a: {inherit: b}, b: {inherit: c}, c: {inherit: a}, d: {inherit: a}}",
            {
                "a": "'a' inherits from itself: a → b → c → a",
                "b": "'b' inherits from itself: b → c → a → b",
                "c": "'c' inherits from itself: c → a → b → c",
            },
        ),
    ],
)
def test_a_loop_is_told_where_it_is_and_ends(tmp_path: Path, text: str, loops: dict[str, str]) -> None:
    found = problems(tmp_path, f"pipelines: {text}")
    assert {p.path.split(".")[1]: p.message for p in found} == loops
    assert all(p.line for p in found)


def test_a_wrong_value_is_told_by_the_schema(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("a: {reply: loud, segment: {silence: 0}, asrr: x}")
    _, found = parse(PipelineConfig, load(tmp_path / "config.yaml"), ("a",))
    told = "\n".join(map(str, found))
    assert len(found) == 3
    assert "a.reply" in told
    assert "a.segment.silence" in told
    assert "did you mean 'asr'?" in told
