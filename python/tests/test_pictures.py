"""tilerun.show, tilerun.explain, and what notebooks show of kernels."""

import html
import re

import numpy
import pytest
import tilerun
import tilerun.triton as triton
import tilerun.triton.language as tl
from helpers.accesses import gather

SCALE = 3.0


@triton.jit
def scale(x):
    return x * SCALE


@triton.jit
def add(x_ptr, out_ptr, n, BLOCK: tl.constexpr = 8):
    """out = 3 * x, <all> of it"""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, scale(tl.load(x_ptr + i, mask=i < n)), mask=i < n)


@triton.jit
def shifted(x_ptr, out_ptr, stride, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + tl.program_id(0) * (BLOCK - 1) + tl.arange(0, BLOCK), tl.load(x_ptr + i * stride))


@triton.autotune([triton.Config({"BLOCK": 4}, num_warps=2), triton.Config({"BLOCK": 8})], key=["n"])
@triton.jit
def tuned(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n), mask=i < n)


def rows(page, tensor, way):
    return page.data["tensors"][tensor][way]["map"]["rows"]


def test_shows_which_program_accesses_what_and_leaves_tensors_alone():
    x, out = numpy.arange(20, dtype=numpy.float32), numpy.zeros(20, dtype=numpy.float32)
    page = tilerun.show(add, (3, ), x, out, 20)
    assert rows(page, 0, "read") == ["aaaaaaaabbbbbbbbcccc"] and rows(page, 1, "written") == ["aaaaaaaabbbbbbbbcccc"]
    assert not out.any()
    assert page.svg.startswith("<svg") and page.html.startswith("<!DOCTYPE html>")
    assert "2 tensors, 2 accesses, 0 races" in repr(page)
    # A grid may be a function of the arguments, and positions in the source are those of this file.
    page = tilerun.show(add, lambda meta: (triton.cdiv(meta["n"], meta["BLOCK"]), ), x, out, n=20, BLOCK=16)
    assert rows(page, 0, "read") == ["aaaaaaaaaaaaaaaabbbb"]
    store = next(a for a in page.data["accesses"] if a["operation"] == "store")
    assert store["position"]["file"] == "test_pictures.py"
    assert open(__file__, encoding="utf-8").readlines()[store["position"]["line"] - 1].strip().startswith("tl.store(out_ptr + i, scale(")


def test_finds_races_and_shows_one_program():
    x, out = numpy.arange(16, dtype=numpy.int32), numpy.zeros(16, dtype=numpy.int32)
    page = tilerun.show(shifted, 4, x, out, 1, BLOCK=4)
    assert page.data["tensors"][1]["races"] and "!" in rows(page, 1, "written")[0]
    page = tilerun.show(shifted, 4, x, out, 1, BLOCK=4, program=2)
    assert page.data["program"] == [2, 0, 0] and len(page.data["tiles"]) == 2


def test_takes_strided_arrays_other_types_and_autotuned_kernels():
    wide = numpy.arange(32, dtype=numpy.int32)
    page = tilerun.show(shifted, 4, wide[::2], numpy.zeros(16, dtype=numpy.int32), 2, BLOCK=4)
    assert rows(page, 0, "read") == ["aaaabbbbccccdddd"]
    page = tilerun.show(tuned, lambda meta: triton.cdiv(meta["n"], meta["BLOCK"]), wide, wide.copy(), 8)
    assert rows(page, 0, "read")[0].startswith("aaaabbbb")
    torch = pytest.importorskip("torch")
    x = torch.arange(16, dtype=torch.bfloat16)
    page = tilerun.show(add, 2, x, torch.zeros_like(x), 16)
    assert rows(page, 1, "written") == ["aaaaaaaabbbbbbbb"]


def test_values_reach_the_launch():
    """The kernel runs on the contents: an index that is read decides what is accessed."""
    page = tilerun.show(gather, 1, numpy.array([3, 0], dtype=numpy.int32), numpy.zeros(4, dtype=numpy.float32))
    assert rows(page, 1, "written") == ["a..a"]


def test_explains_for_a_target_and_saves(tmp_path):
    x = numpy.zeros(1024, dtype=numpy.float32)
    page = tilerun.explain(add, x, x, 1024, BLOCK=256, target="hip:gfx942", num_warps=8)
    assert "add for hip:gfx942" in page.html and "buffer_load" in page.html
    assert "512 threads" in page.text
    page.save(tmp_path / "add.html")
    assert (tmp_path / "add.html").read_text() == page.html
    with pytest.raises(ValueError, match="a page is written as .html"):
        page.save(tmp_path / "add.svg")


def test_notebooks_show_pages_in_frames_and_kernels_as_tables():
    x = numpy.zeros(8, dtype=numpy.float32)
    shown = tilerun.show(add, 1, x, x.copy(), 8)._repr_html_()
    frame = re.fullmatch(r'<iframe srcdoc="([^"]*)" sandbox="allow-scripts" .*></iframe>', shown, re.S)
    assert frame and html.unescape(frame[1]).startswith("<!DOCTYPE html>")
    text = add._repr_html_()
    assert "<code>BLOCK</code></td><td>tl.constexpr</td><td>8</td>" in text and "&lt;all&gt;" in text and "test_pictures.py:" in text


def test_mistakes_are_named():
    x = numpy.zeros(8, dtype=numpy.float32)
    with pytest.raises(TypeError, match="no value is passed for 'n'"):
        tilerun.show(add, 1, x, x)
    with pytest.raises(TypeError, match="parameter 'n': <object .* cannot be given to the command"):
        tilerun.show(add, 1, x, x, object())
    with pytest.raises(TypeError, match="negative or uneven strides"):
        tilerun.show(add, 1, x[::-1], x, 8)
    with pytest.raises(TypeError, match="is not a kernel"):
        tilerun.show(len, 1)
    with pytest.raises(tilerun.TilerunError, match="unknown NVIDIA architecture .sm_1x."):
        tilerun.explain(add, x, x, 8, target="cuda:sm_1x")
