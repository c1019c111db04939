"""Stands for Triton in Python programs that a process with Tilerun installed has started: importing it installs Tilerun, whose
modules take this one's place."""

import os
import sys

del sys.modules[__name__]
try:
    import tilerun
except ImportError:
    # The parent found it by a path that children do not inherit. Last, as nothing else is wanted of it.
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(__file__)))))
    import tilerun
tilerun.install()
