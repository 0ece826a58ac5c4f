"""Child processes: started, watched, started again, and ended with all they have started."""

from hub.supervisor.child import Child, safe_environment
from hub.supervisor.health import Health
from hub.supervisor.limits import ChildLimits
from hub.supervisor.remains import RECORDS, clear
from hub.supervisor.supervision import Supervisor

__all__ = ["RECORDS", "Child", "ChildLimits", "Health", "Supervisor", "clear", "safe_environment"]
