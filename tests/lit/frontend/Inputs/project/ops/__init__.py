from .helpers import add_one as exported, CONST
from .inner import *

try:
    from ._missing import something
except ImportError:
    something = None
