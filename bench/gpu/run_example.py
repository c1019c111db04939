#!/usr/bin/env python3
"""Runs one example's own host code, comparisons with PyTorch included, on Tilerun in place of Triton.
Usage: TILERUN_BUNDLE=DIR run_example.py FILE.py"""

import os
import runpy
import sys

import torch
import torch.testing  # Before the stand-in: parts of PyTorch import Triton themselves.

import binding

torch.cuda.init()
binding.install(binding.Library())
sys.path.insert(0, os.path.dirname(os.path.abspath(sys.argv[1])))
runpy.run_path(sys.argv[1], run_name="__main__")
