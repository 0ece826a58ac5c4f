"""`earnest watch` against a running hub."""

from __future__ import annotations

import json
import signal

from tests.cli.conftest import PATIENCE, House, complaint
from tests.cli.viewer import watching


def test_a_viewer_sees_a_change_until_ctrl_c(hub: House) -> None:
    with watching(hub, "state_changed") as watch:
        assert watch.stdout
        assert "light.kitchen_lamp  o" in watch.stdout.readline()
        watch.send_signal(signal.SIGINT)
        _, err = watch.communicate(timeout=PATIENCE)
        assert (watch.returncode, err) == (130, "")


def test_events_in_json_have_home_assistants_shape(hub: House) -> None:
    with watching(hub, "state_changed", "--json") as watch:
        assert watch.stdout
        events = map(json.loads, watch.stdout)
        event = next(one for one in events if one["data"]["entity_id"] == "light.kitchen_lamp")
    assert event["event_type"] == "state_changed"
    assert event["data"]["new_state"]["state"] in ("on", "off")


def test_a_viewer_ends_when_nobody_reads_it_any_more(hub: House) -> None:
    with watching(hub, "state_changed") as watch:
        assert watch.stdout
        assert watch.stderr
        watch.stdout.close()
        while watch.poll() is None:
            hub.run("call", "light.toggle", "--target", "kitchen lamp")
        assert (watch.returncode, watch.stderr.read()) == (141, "")


def test_an_event_that_is_not_there_has_a_near_match(hub: House) -> None:
    ended = hub.run("watch", "state_change")
    assert ended.returncode == 2
    assert "did you mean 'state_changed'?" in complaint(ended)
