from .deep import scaled_shift as reexported
