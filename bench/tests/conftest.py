"""Generated tests of the bench run as long as those of the product."""

import helpers.profiles  # noqa: F401 - loads one
