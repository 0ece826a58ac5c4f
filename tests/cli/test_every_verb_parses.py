"""Every verb's own arguments go together with those that all verbs have."""

import pytest

from hub.cli.verbs import VERBS, parsed


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_explains_itself(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parsed([verb, "--help"])
    assert ended.value.code == 0
    assert f"earnest {verb}" in capsys.readouterr().out


def test_the_data_of_a_call_is_its_arguments_and_the_folder_stands_before_the_verb() -> None:
    _, options = parsed(
        ["--data", "/house", "call", "light.turn_on", "--data", "brightness_pct=40", "--data", "x=a"]
    )
    assert options.data == "/house"
    assert options.pairs == [("brightness_pct", 40), ("x", "a")]


def test_a_folder_after_a_call_says_where_it_belongs(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parsed(["call", "light.turn_on", "--data", "/house"])
    assert ended.value.code == 2
    assert "earnest --data DIR call" in capsys.readouterr().err
