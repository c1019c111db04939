from tilerun.triton import *
from tilerun.triton import language as language
