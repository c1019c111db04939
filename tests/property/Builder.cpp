// Choices, and expressions from the tables of operations.
#include "tests/property/Builder.h"

#include <algorithm>

using namespace tilerun;
using namespace tilerun::property;

std::string property::spell(DType dtype) { return "tl." + dtype.str(); }

Builder::Builder(uint64_t seed) : random(seed) {
  kernel.seed = seed;
  bool isAnySize = random.chance(35);
  for (Size &size : kernel.sizes) {
    static constexpr int kOdd[] = {1, 3, 5, 7};
    size.odd = isAnySize ? random.pick(kOdd) : 1;
    size.log = static_cast<int>(random.below(size.odd > 1 ? 4 : 5));
  }
  kernel.grid = 1 + static_cast<unsigned>(random.below(3));
  kernel.numWarps = 1u << random.below(4);
  kernel.numStages = 1 + static_cast<unsigned>(random.below(3));
  kernel.unaligned = random.chance(25);
  dtypes = {dtype(Scalar::Int32)};
  for (size_t more = 2 + random.below(3); more > 0; --more)
    dtypes.push_back(matrix::type(random.chance(15)   ? random.pick(matrix::kFp8)
                                  : random.chance(50) ? random.pick(matrix::kFloats)
                                                      : random.pick(matrix::kIntegers)));
  if (random.chance(40))
    dtypes.push_back(dtype(Scalar::Int1));
}

DType Builder::pickInteger() {
  DType picked = random.pick(dtypes);
  return picked.isInt() && !picked.isBool() ? picked : dtype(Scalar::Int32);
}

DType Builder::pickFloat() {
  for (int tries = 0; tries < 4; ++tries)
    if (DType picked = random.pick(dtypes); picked.isFloat() && !picked.isFp8())
      return picked;
  return dtype(Scalar::F32);
}

Dim Builder::pickDim() {
  Dim dim;
  if (random.chance(8))
    return dim;
  if (random.chance(15))
    return Dim{{}, 1 + static_cast<int>(random.below(2))};
  if (random.chance(8)) // Rows that a descriptor takes.
    return Dim{{}, 3 + static_cast<int>(random.below(3))};
  dim.powers[random.below(3)] = 1;
  if (random.chance(25))
    dim.twos = 1;
  return dim;
}

Shape Builder::pickShape() {
  for (int tries = 0; tries < 20; ++tries) {
    Shape shape;
    size_t rank = random.chance(45) ? 1 : random.chance(75) ? 2 : 3;
    for (size_t i = 0; i < rank; ++i)
      shape.push_back(pickDim());
    if (isSmall(shape))
      return shape;
  }
  return {Dim{{1, 0, 0}, 0}};
}

ValueType Builder::pickType() {
  DType dtype = pickDtype();
  // Values of existing shapes combine.
  if (!scope.empty() && random.chance(60))
    return {dtype, random.pick(scope).type.shape};
  return {dtype, random.chance(10) ? Shape() : pickShape()};
}

Shape Builder::pickStretching(const Shape &shape) {
  Shape result = shape;
  for (Dim &dim : result)
    if (random.chance(30))
      dim = Dim();
  while (result.size() > 1 && (result[0].isOne() || random.chance(15)))
    result.erase(result.begin());
  return result;
}

Shape Builder::insertDim(const Shape &shape, size_t axis) {
  for (int tries = 0; tries < 8; ++tries) {
    Shape result = shape;
    result.insert(result.begin() + ptrdiff_t(axis), pickDim());
    if (isSmall(result))
      return result;
  }
  Shape result = shape;
  result.insert(result.begin() + ptrdiff_t(axis), Dim());
  return result;
}

std::string Builder::getInput(DType dtype) {
  std::string name = "x_" + dtype.signature();
  for (const Tensor &tensor : kernel.tensors)
    if (tensor.name == name)
      return name;
  kernel.tensors.push_back({name, dtype, Dim(), kInputElements, false, false, ""});
  return name;
}

ExprRef Builder::makeMask(const Shape &shape, int depth) {
  ValueType i32{dtype(Scalar::Int32), shape}, i1{dtype(Scalar::Int1), shape};
  if (random.chance(50))
    return makeExpr(i1, !inHelper && random.chance(50) ? "($0 < n1)" : "($0 % 3 != 1)",
                    {makePositions(shape)});
  return make(i1, depth - 1);
}

ExprRef Builder::makeLoad(const ValueType &type, int depth) {
  std::string input = getInput(type.dtype);
  const Shape &shape = type.shape;
  if (shape.empty())
    return makeExpr(
        type, "tl.load(" + input + " + " +
                  (random.chance(50) ? std::to_string(random.below(600)) : "tl.program_id(0)") +
                  ")");
  ValueType i32{dtype(Scalar::Int32), shape};
  ExprRef positions = makePositions(shape);
  if (random.chance(25) && depth > 0)
    positions = makeExpr(i32, "($0 & 511)", {make(i32, depth - 1)});
  else if (random.chance(30))
    positions = makeExpr(i32, "($0 + " + std::to_string(random.below(64)) + ")", {positions});
  else if (random.chance(30))
    positions = makeExpr(i32, "(($0 + tl.program_id(0) * 16) & 511)", {positions});
  else if (random.chance(10)) { // Rows follow each other in memory.
    std::string ones;
    for (size_t i = 0; i + 1 < shape.size(); ++i)
      ones += "1, ";
    positions = makeExpr(i32,
                         "tl.max_constancy(tl.max_contiguous(tl.multiple_of($0, [" + ones +
                             "#0]), [" + ones + "#0]), [" + ones + "1])",
                         {positions}, {shape.back()});
  }
  std::vector<ExprRef> args{positions};
  std::string text = "tl.load(" + input + (random.chance(10) ? " + $0.to(tl.int64)" : " + $0");
  Traits has;
  if (random.chance(40)) {
    args.push_back(makeMask(shape, depth));
    text += ", mask=$1";
    if (type.dtype.isFp8() ? false : random.chance(60)) {
      if (random.chance(30) && depth > 0) {
        args.push_back(make(type, depth - 1, {true, true}));
        text += ", other=$2";
      } else {
        text += ", other=" + std::to_string(random.below(2));
      }
    }
  }
  static const char *const kOptions[] = {
      ", cache_modifier=\".ca\"",          ", cache_modifier=\".cg\"",
      ", cache_modifier=\".cv\"",          ", eviction_policy=\"evict_last\"",
      ", eviction_policy=\"evict_first\"", ", volatile=True"};
  if (random.chance(12))
    text += random.pick(kOptions);
  return makeExpr(type, text + ")", args, {}, has);
}

ExprRef Builder::makeLeaf(const ValueType &type, Traits need) {
  std::vector<const Variable *> fitting;
  for (const Variable &variable : scope)
    if (variable.type == type && variable.has.covers(need))
      fitting.push_back(&variable);
  if (!fitting.empty() && random.chance(65)) {
    const Variable &variable = *random.pick(fitting);
    return makeExpr(type, variable.name, {}, {}, variable.has);
  }
  const Shape &shape = type.shape;
  if (type.dtype == dtype(Scalar::Int32) && random.chance(40)) {
    if (shape.empty() && !inRegion)
      return makeExpr(type, inHelper || random.chance(40) ? "tl.program_id(0)"
                            : random.chance(50)           ? "n0"
                                                          : "n1");
    if (!shape.empty())
      return makePositions(shape);
  }
  if (shape.empty() && !inHelper && random.chance(40)) {
    if (type.dtype == dtype(Scalar::Int64))
      return makeExpr(type, "n2");
    if (type.dtype == dtype(Scalar::F32))
      return makeExpr(type, "s0");
  }
  if (inHelper || random.chance(20)) {
    static const char *const kSigned[] = {"0", "1", "2", "3", "-1", "-5", "7", "100"};
    static const char *const kUnsigned[] = {"0", "1", "2", "3", "7", "100", "127"};
    static const char *const kReal[] = {"0.0", "1.0", "-1.5", "0.5", "3.0", "-0.25", "0.1"};
    std::string value = type.dtype.isBool()     ? (random.chance(50) ? "True" : "False")
                        : type.dtype.isFloat()  ? random.pick(kReal)
                        : type.dtype.isSigned() ? random.pick(kSigned)
                                                : random.pick(kUnsigned);
    std::string text;
    for (size_t i = 0; i < shape.size(); ++i)
      text += (i ? ", #" : "#") + std::to_string(i);
    if (type.dtype.isFp8())
      return makeExpr(
          type, "tl.full([" + text + "], " + value + ", tl.float32).to(" + spell(type.dtype) + ")",
          {}, shape);
    return makeExpr(type, "tl.full([" + text + "], " + value + ", " + spell(type.dtype) + ")", {},
                    shape);
  }
  return makeLoad(type, 0);
}

ExprRef Builder::make(const ValueType &type, int depth, Traits need) {
  if (depth <= 0)
    return makeLeaf(type, need);
  const Operations &own = type.dtype.isBool()    ? getBoolOperations()
                          : type.dtype.isFp8()   ? getFp8Operations()
                          : type.dtype.isFloat() ? getFloatOperations()
                                                 : getIntegerOperations();
  for (int tries = 0; tries < 6; ++tries) {
    const Operations &table = random.chance(65) ? own : getMoves();
    unsigned total = 0;
    for (const Operation &operation : table)
      total += operation.weight;
    size_t at = random.below(total);
    for (const Operation &operation : table) {
      if (at < operation.weight) {
        ExprRef made = operation.make(*this, type, depth, need);
        if (made && made->has.covers(need))
          return made;
        break;
      }
      at -= operation.weight;
    }
  }
  return makeLeaf(type, need);
}
