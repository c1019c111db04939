# What changed_globals.py changes, and what it leaves.
FAST = True
SIZES = [4]
MORE = [4]
STAR = KEPT = 2


class Modes:
    MODE = 1
