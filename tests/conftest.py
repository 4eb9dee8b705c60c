"""How many examples a property is tried with: a few, or many with `--hypothesis-profile=long`."""

from __future__ import annotations

from hypothesis import settings

# no deadline: how long an example takes says more of the machine than of the code
settings.register_profile("quick", deadline=None, max_examples=40)
settings.register_profile("long", deadline=None, max_examples=200)
if settings.get_current_profile_name() == "default":
    settings.load_profile("quick")
