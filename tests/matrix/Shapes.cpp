// Functions that move elements: reshape, transpose, broadcast, join, split and their relatives.
#include "tests/matrix/Tolerance.h"

using namespace tilerun;
using namespace tilerun::matrix;

namespace {

using Kind = Fill::Kind;

/// From x and y, of shape [16, 32] each, to r of `elements` elements in any shape that ravel takes.
struct Move {
  const char *op;
  const char *body;
  int elements;
};
constexpr Move kMoves[] = {
    {"trans", "    r = tl.trans(x)\n", 512},
    {"trans (method)", "    r = tl.where(j.T < 16, x.T, x.trans(1, 0))\n", 512},
    {"permute", "    r = tl.permute(x, 1, 0)\n", 512},
    {"permute (3-D)", "    r = tl.permute(tl.reshape(x, [4, 4, 32]), (2, 0, 1))\n", 512},
    {"permute (4-D)", "    r = x.reshape(2, 8, 4, 8).permute(3, 1, 0, 2)\n", 512},
    {"permute (5-D)", "    r = x.reshape(2, 8, 4, 2, 4).permute(4, 2, 0, 3, 1)\n", 512},
    {"reshape", "    r = tl.reshape(x, [8, 64])\n", 512},
    {"reshape (-1)", "    r = tl.reshape(tl.trans(x), (4, -1))\n", 512},
    {"reshape (3-D)", "    r = x.reshape(2, 16, 16) \n", 512},
    {"ravel", "    r = tl.ravel(tl.trans(x))\n", 512},
    {"broadcast", "    r, b = tl.broadcast(tl.reshape(x, [512, 1]), tl.zeros([1, 2], x.dtype))\n",
     1024},
    {"broadcast_to", "    r = tl.broadcast_to(tl.reshape(x, [16, 32, 1]), [16, 32, 4])\n", 2048},
    {"broadcast_to (method)", "    r = x.expand_dims(0).broadcast_to(4, 16, 32)\n", 2048},
    {"expand_dims", "    r = tl.expand_dims(x, 1)\n", 512},
    {"expand_dims (two)", "    r = tl.expand_dims(x, (0, -1))\n", 512},
    {"unsqueeze", "    r = tl.unsqueeze(x, 2)\n", 512},
    {"squeeze", "    r = tl.squeeze(x[:, None, :], 1)\n", 512},
    {"subscript", "    r = x[None, :, None, :]\n", 512},
    {"join", "    r = tl.join(x, y)\n", 1024},
    {"split", "    a, b = tl.split(tl.reshape(x, [16, 16, 2]))\n    r = tl.join(b, a)\n", 512},
    {"split of join", "    a, b = tl.join(x, y).split()\n    r = tl.join(b, a)\n", 1024},
    {"interleave", "    r = tl.interleave(x, y)\n", 1024},
    {"cat", "    r = tl.cat(x, y, dim=0)\n", 1024},
    {"cat (dim 1)", "    r = tl.cat(x, y, dim=1)\n", 1024},
    {"flip (3-D)", "    r = tl.flip(tl.reshape(x, [4, 4, 32]), 0)\n", 512},
    {"chain", "    r = tl.trans(tl.reshape(tl.trans(tl.join(x, y), 2, 0, 1), [32, 32]))\n", 1024},
};

void addMove(Cells &cells, unsigned variant, const Move &move, const std::string &t) {
  Cell cell = makeCell("shapes", move.op, t, variant, kBits);
  cell.numWarps = 1u << (hashText(std::string(move.op) + t) + variant) % 4;
  cell.source = asFile(fill("@triton.jit\n"
                            "def kernel(o, xp, yp):\n"
                            "    i = tl.arange(0, 16)[:, None]\n"
                            "    j = tl.arange(0, 32)[None, :]\n"
                            "    x = tl.load(xp + i * 32 + j)\n"
                            "    y = tl.load(yp + i * 32 + j)\n" +
                                std::string(move.body) +
                                "    tl.store(o + tl.arange(0, $N), tl.reshape(r, [$N]))\n",
                            {{"N", std::to_string(move.elements)}}));
  addOutput(cell, "o", t, move.elements);
  addInput(cell, "xp", t, 512);
  addInput(cell, "yp", t, 512);
  cells.push_back(std::move(cell));
}

void addRest(Cells &cells, unsigned variant, const std::string &t) {
  auto add = [&](const std::string &op, const std::string &body, int elements, int inputs) {
    Cell cell = makeCell("shapes", op, t, variant, kBits);
    cell.numWarps = 1u << (hashText(op + t) + variant) % 4;
    cell.source = asFile("@triton.jit\ndef kernel(o, xp):\n" + body);
    addOutput(cell, "o", t, elements);
    addInput(cell, "xp", t, inputs);
    cells.push_back(std::move(cell));
  };
  add("item", "    x = tl.load(xp + tl.arange(0, 1))\n    tl.store(o, tl.item(x))\n", 1, 1);
  add("full",
      "    r = tl.full([4, 64], 1, " + spell(type(t).isFp8() ? "fp32" : t) + ").to(" + spell(t) +
          ")\n"
          "    tl.store(o + tl.arange(0, 256), tl.reshape(r, [256]))\n",
      256, 1);
  add("zeros", "    tl.store(o + tl.arange(0, 64), tl.zeros([64], " + spell(t) + "))\n", 64, 1);
  add("zeros_like",
      "    x = tl.load(xp + tl.arange(0, 128))\n"
      "    tl.store(o + tl.arange(0, 128), tl.zeros_like(x))\n",
      128, 128);
  add("splat", "    tl.store(o + tl.arange(0, 32), tl.load(xp))\n", 32, 1);
  add("small tiles",
      "    x = tl.load(xp + tl.arange(0, 2))\n"
      "    tl.store(o + tl.arange(0, 2), tl.flip(x, 0))\n"
      "    tl.store(o + 2 + tl.arange(0, 4), tl.reshape(tl.join(x, x), [4]))\n",
      6, 2);
}

} // namespace

void matrix::addShapes(Cells &cells, unsigned variant) {
  for (const Move &move : kMoves)
    for (const std::string &t : kAll)
      addMove(cells, variant, move, t);
  for (const std::string &t : kAll)
    addRest(cells, variant, t);
  cells.push_back(
      makeElementwise("shapes", "arange", "i32", variant, kBits, "x + i", "i32", {{"i32", {}}}));
}
