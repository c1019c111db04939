from . import shared
from .shared import *
