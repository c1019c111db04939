from tilerun.triton.language import *
from tilerun.triton.language import extra as extra, math as math
