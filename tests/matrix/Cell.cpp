// Shared by the families: lists of dtypes, templates, the elementwise kernel.
#include "tests/matrix/Cell.h"

#include <cctype>
#include <cstdlib>

using namespace tilerun;
using namespace tilerun::matrix;

namespace tilerun::matrix {
const Types kSigned{"i8", "i16", "i32", "i64"};
const Types kUnsigned{"u8", "u16", "u32", "u64"};
const Types kIntegers{"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"};
const Types kFloats{"fp16", "bf16", "fp32", "fp64"};
const Types kFp8{"fp8e5", "fp8e4nv", "fp8e4b8", "fp8e5b16", "fp8e4b15"};
const Types kFloatsAndFp8{"fp16",    "bf16",    "fp32",     "fp64",    "fp8e5",
                          "fp8e4nv", "fp8e4b8", "fp8e5b16", "fp8e4b15"};
const Types kNumbers{"i8",    "i16",     "i32",     "i64",      "u8",      "u16",
                     "u32",   "u64",     "fp16",    "bf16",     "fp32",    "fp64",
                     "fp8e5", "fp8e4nv", "fp8e4b8", "fp8e5b16", "fp8e4b15"};
const Types kAll{"i1",   "i8",    "i16",     "i32",     "i64",      "u8",
                 "u16",  "u32",   "u64",     "fp16",    "bf16",     "fp32",
                 "fp64", "fp8e5", "fp8e4nv", "fp8e4b8", "fp8e5b16", "fp8e4b15"};
} // namespace tilerun::matrix

DType matrix::type(const std::string &name) {
  std::optional<DType> parsed = parseDType(name);
  if (!parsed) // A typing error in a table of this folder.
    std::abort();
  return *parsed;
}

std::string matrix::spell(const std::string &name) { return "tl." + type(name).str(); }

std::string matrix::fill(std::string text,
                         const std::vector<std::pair<std::string, std::string>> &values) {
  for (size_t at = 0; (at = text.find('$', at)) != std::string::npos;) {
    size_t end = at + 1;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end]))))
      ++end;
    std::string name = text.substr(at + 1, end - at - 1);
    const std::string *value = nullptr;
    for (const auto &[key, entry] : values)
      if (key == name)
        value = &entry;
    if (!value) {
      at = end;
      continue;
    }
    text.replace(at, end - at, *value);
    at += value->size();
  }
  return text;
}

std::string matrix::asFile(const std::string &text) {
  return "import triton\nimport triton.language as tl\n"
         "from triton.language.extra import libdevice\n\n\n" +
         text;
}

uint64_t matrix::hashText(const std::string &text) {
  uint64_t hash = 0xCBF29CE484222325; // FNV-1a
  for (unsigned char c : text)
    hash = (hash ^ c) * 0x100000001B3;
  return hash ^ (hash >> 29);
}

Cell matrix::makeCell(const std::string &group, const std::string &op, const std::string &dtype,
                      unsigned variant, Tolerance tolerance) {
  Cell cell;
  cell.group = group;
  cell.op = op;
  cell.dtype = dtype;
  cell.variant = variant;
  cell.tolerance = tolerance;
  cell.unaligned = (hashText(op + dtype + "align") + variant) % 3 == 2;
  return cell;
}

void matrix::addInput(Cell &cell, const std::string &name, const std::string &dtype, int64_t count,
                      Fill fill) {
  cell.tensors.push_back({name, type(dtype), count, fill, false, false});
}
void matrix::addOutput(Cell &cell, const std::string &name, const std::string &dtype, int64_t count,
                       bool exact) {
  cell.tensors.push_back({name, type(dtype), count, {Fill::Kind::Pattern}, true, exact});
}
void matrix::addInOut(Cell &cell, const std::string &name, const std::string &dtype, int64_t count,
                      Fill fill) {
  cell.tensors.push_back({name, type(dtype), count, fill, true, false});
}
void matrix::addInteger(Cell &cell, const std::string &name, const std::string &dtype,
                        int64_t value) {
  cell.scalars.push_back({name, type(dtype), 0, value});
}
void matrix::addFloat(Cell &cell, const std::string &name, const std::string &dtype, double value) {
  cell.scalars.push_back({name, type(dtype), value, 0});
}

namespace {
/// Tiles of elementwise kernels: how positions are made, how many there are, and warps.
struct Tile {
  const char *positions;
  int elements;
  unsigned warps;
};
constexpr Tile kTiles[] = {
    {"tl.arange(0, 256)", 256, 4},
    {"tl.arange(0, 8)[:, None] * 32 + tl.arange(0, 32)[None, :]", 256, 2},
    {"tl.arange(0, 1024)", 1024, 4},
    {"tl.arange(0, 16)", 16, 1},
    {"tl.arange(0, 32)[:, None] + 32 * tl.arange(0, 8)[None, :]", 256, 8},
    {"tl.arange(0, 64)", 64, 4},
    {"tl.arange(0, 4)[:, None, None] * 64 + tl.arange(0, 2)[None, :, None] * 32 + "
     "tl.arange(0, 32)[None, None, :]",
     256, 1},
};
} // namespace

const std::vector<PlainFunction> matrix::kPlainFunctions = {
    {"exp", {Fill::Kind::Range, -20, 20}},    {"exp2", {Fill::Kind::Range, -20, 20}},
    {"log", {Fill::Kind::Range, 0.1, 100}},   {"log2", {Fill::Kind::Range, 0.1, 100}},
    {"sin", {Fill::Kind::Range, -3, 3}},      {"cos", {Fill::Kind::Range, -3, 3}},
    {"sqrt", {Fill::Kind::Range, 0.01, 100}}, {"rsqrt", {Fill::Kind::Range, 0.01, 100}},
    {"erf", {Fill::Kind::Range, -4, 4}},      {"sigmoid", {Fill::Kind::Range, -20, 20}}};

namespace {
/// The texts of a kernel's inputs x, y, z.
struct Operands {
  std::string parameters, loads;
};
} // namespace

// Adds the inputs to a cell; `rest` follows the address of each load.
static Operands addOperands(Cell &cell, const std::vector<ElementwiseInput> &inputs, int64_t count,
                            const std::string &rest) {
  Operands texts;
  const char *names[] = {"x", "y", "z"};
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::string name = names[i];
    texts.parameters += ", " + name + "p";
    texts.loads += "    " + name + " = tl.load(" + name + "p + i" + rest + ")\n";
    addInput(cell, name + "p", inputs[i].dtype, count, inputs[i].fill);
  }
  return texts;
}

Cell matrix::makeElementwise(const std::string &group, const std::string &op,
                             const std::string &dtype, unsigned variant, Tolerance tolerance,
                             const std::string &expression, const std::string &resultType,
                             const std::vector<ElementwiseInput> &inputs,
                             const std::string &wideExpression) {
  Cell cell = makeCell(group, op, dtype, variant, tolerance);
  const Tile &tile = kTiles[(hashText(op + dtype) + variant) % std::size(kTiles)];
  int64_t count = tile.elements == 16 ? 93 : tile.elements == 1024 ? 1777 : 717;
  addOutput(cell, "o", resultType, count);
  // 1 is a divisor that any dtype has.
  Operands texts = addOperands(cell, inputs, count, ", mask=m, other=1");
  auto write = [&](const std::string &value) {
    return asFile(fill("@triton.jit\n"
                       "def kernel(o$parameters, n):\n"
                       "    i = tl.program_id(0) * $elements + $positions\n"
                       "    m = i < n\n"
                       "$loads"
                       "    r = $value\n"
                       "    tl.store(o + i, r, mask=m)\n",
                       {{"parameters", texts.parameters},
                        {"elements", std::to_string(tile.elements)},
                        {"positions", tile.positions},
                        {"loads", texts.loads},
                        {"value", value}}));
  };
  cell.source = write(expression);
  if (!wideExpression.empty())
    cell.wideSource = write(wideExpression);
  addInteger(cell, "n", "i32", count);
  cell.grid[0] = static_cast<uint32_t>((count + tile.elements - 1) / tile.elements);
  cell.numWarps = tile.warps;
  return cell;
}

Cell matrix::makeScalar(const std::string &group, const std::string &op, const std::string &dtype,
                        unsigned variant, Tolerance tolerance, const std::string &expression,
                        const std::string &resultType, const std::vector<ElementwiseInput> &inputs,
                        const std::string &wideExpression) {
  Cell cell = makeCell(group, op, dtype, variant, tolerance);
  constexpr int kPrograms = 61;
  addOutput(cell, "o", resultType, kPrograms);
  Operands texts = addOperands(cell, inputs, kPrograms, "");
  auto write = [&](const std::string &value) {
    return asFile(
        fill("@triton.jit\n"
             "def kernel(o$parameters):\n"
             "    i = tl.program_id(0)\n"
             "$loads"
             "    r = $value\n"
             "    tl.store(o + i, r)\n",
             {{"parameters", texts.parameters}, {"loads", texts.loads}, {"value", value}}));
  };
  cell.source = write(expression);
  if (!wideExpression.empty())
    cell.wideSource = write(wideExpression);
  cell.grid[0] = kPrograms;
  cell.numWarps = 1u << (hashText(op + dtype) + variant) % 3;
  return cell;
}

Cell matrix::makeWholeTensor(unsigned variant, const WholeTensor &form) {
  Cell cell = makeCell(form.group, form.op, form.dtype, variant, form.tolerance);
  int count = 1;
  std::string shape;
  for (int size : form.shape) {
    count *= size;
    shape += (shape.empty() ? "" : ", ") + std::to_string(size);
  }
  const bool hasSecond = !form.second.empty();
  cell.source =
      asFile(form.helper +
             fill("@triton.jit\n"
                  "def kernel(o, xp$P):\n"
                  "    at = tl.reshape(tl.arange(0, $N), [$S])\n"
                  "    x = tl.load(xp + at)\n"
                  "$Y" +
                      form.body + "    tl.store(o + tl.arange(0, $R), tl.reshape(r, [$R]))\n",
                  {{"P", hasSecond ? ", yp" : ""},
                   {"Y", hasSecond ? "    y = tl.load(yp + at)\n" : ""},
                   {"N", std::to_string(count)},
                   {"S", shape},
                   {"R", std::to_string(form.resultCount)}}));
  if (form.wide)
    cell.wideSource = cell.source;
  addOutput(cell, "o", form.resultType, form.resultCount);
  addInput(cell, "xp", form.dtype, count, form.fill);
  if (hasSecond)
    addInput(cell, "yp", form.second, count, form.secondFill);
  cell.numWarps = 1u << (hashText(form.op + form.dtype) + variant) % 4;
  return cell;
}

Cells matrix::makeCells(unsigned variant) {
  Cells cells;
  addElementwise(cells, variant);
  addCasts(cells, variant);
  addMathematics(cells, variant);
  addReductions(cells, variant);
  addScans(cells, variant);
  addShapes(cells, variant);
  addBlocks(cells, variant);
  addMemory(cells, variant);
  addAtomics(cells, variant);
  addDots(cells, variant);
  addControl(cells, variant);
  addScalars(cells, variant);
  addMethods(cells, variant);
  addRanks(cells, variant);
  addHostDescriptors(cells, variant);
  addPairs(cells, variant);
  return cells;
}
