"""The one HTTP application: everything it does is a tool, a state or an event."""
