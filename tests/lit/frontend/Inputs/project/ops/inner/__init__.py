from .deep import deep, LAYERS
