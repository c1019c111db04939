"""Small functions that host code and kernels both use."""


def _plain(x):
    return getattr(x, "value", x) if type(x).__name__ == "constexpr" else x


def cdiv(x, y):
    """`x / y` rounded up."""
    if type(x) is int and type(y) is int:  # Grids are computed at every launch.
        return (x + y - 1) // y
    x, y = _plain(x), _plain(y)
    return (x + y - 1) // y


def next_power_of_2(n):
    """The smallest power of two that is at least n; 0 for 0."""
    n = int(_plain(n))
    return 0 if n <= 0 else 1 << (n - 1).bit_length()


# The language's members of these names, which kernels use.
cdiv._language_name = ("triton", "cdiv")
next_power_of_2._language_name = ("triton", "next_power_of_2")
