"""All tests use the plugin that the package ships."""

pytest_plugins = ["hub.testing.plugin"]
