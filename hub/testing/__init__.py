"""What tests of the hub, of integrations and of a user's own house stand on.

Shipped with the package; only `hub.testing.plugin` needs pytest.
"""

from hub.testing.clock import VirtualLoop
from hub.testing.fakes import (
    Heard,
    RecordingSpeaker,
    ScriptedAgent,
    ScriptedAsr,
    ScriptedRecognizer,
    ScriptedTts,
    ScriptedVad,
    ScriptedWake,
    microphone,
    tone,
)
from hub.testing.fleet import (
    RecordingOutlet,
    RoomMicrophone,
    ScriptedSatellite,
    Tongue,
    TongueAsr,
    TongueVad,
    TongueWake,
)

__all__ = [
    "Heard",
    "RecordingOutlet",
    "RecordingSpeaker",
    "RoomMicrophone",
    "ScriptedAgent",
    "ScriptedAsr",
    "ScriptedRecognizer",
    "ScriptedSatellite",
    "ScriptedTts",
    "ScriptedVad",
    "ScriptedWake",
    "Tongue",
    "TongueAsr",
    "TongueVad",
    "TongueWake",
    "VirtualLoop",
    "microphone",
    "tone",
]
