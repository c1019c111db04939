"""Stands for Triton, in a Python that has none."""


def jit(function):
    return function
