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

__all__ = [
    "Heard",
    "RecordingSpeaker",
    "ScriptedAgent",
    "ScriptedAsr",
    "ScriptedRecognizer",
    "ScriptedTts",
    "ScriptedVad",
    "ScriptedWake",
    "VirtualLoop",
    "microphone",
    "tone",
]
