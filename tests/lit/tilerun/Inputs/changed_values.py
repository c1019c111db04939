# Values that changed_globals.py changes, and values that it leaves.
FAST = True
SIZES = [4]
MORE = [4]
STAR = KEPT = 2


class Modes:
    MODE = 1
