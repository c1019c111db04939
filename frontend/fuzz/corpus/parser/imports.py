import a, b.c as d, e.f
from . import g
from .h import (i, j as k,)
from ...l.m import *
from triton import *
@jit
def f(): pass
