# Features of the machine for tests that need more than this tree.
import os


def offer(lit_config, config, feature, found, missing):
    """Adds `feature` to a folder's configuration if it was found; else names it as missing, or
    fails if TILERUN_REQUIRE, a comma-separated list, contains it."""
    if found:
        config.available_features.add(feature)
    elif feature in os.environ.get("TILERUN_REQUIRE", "").split(","):
        lit_config.fatal(f"{missing}, and TILERUN_REQUIRE names '{feature}'")
    else:
        lit_config.note(f"{missing}: tests that require '{feature}' are not run")
