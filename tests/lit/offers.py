# Features of the machine for tests that need more than this tree.
import os


def offer(lit_config, config, feature, found, missing):
    """Makes `feature` known to a folder where it was found; else says what is missing, or fails if TILERUN_REQUIRE,
    a list of names with commas, has it."""
    if found:
        config.available_features.add(feature)
    elif feature in os.environ.get("TILERUN_REQUIRE", "").split(","):
        lit_config.fatal(f"{missing}, and TILERUN_REQUIRE names '{feature}'")
    else:
        lit_config.note(f"{missing}: tests that require '{feature}' are not run")
