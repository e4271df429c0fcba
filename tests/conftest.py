"""Settings for all tests."""

from hypothesis import settings

# The first call of a compiled function takes seconds; no test asserts a time.
settings.register_profile("loligo", deadline=None)
settings.load_profile("loligo")
