// Padding of ops that move elements: where the sizes say which element is next, surplus would come
// in between, so the real elements are gathered.
#include "ir/distribute/Padding.h"

#include <numeric>

using namespace mlir;
using namespace tilerun;
using namespace tilerun::padding;

static int64_t product(ArrayRef<int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t(1), std::multiplies<>());
}

static SmallVector<int64_t> padSizes(ArrayRef<int64_t> sizes) {
  return llvm::map_to_vector(sizes, padSize);
}

SmallVector<DimGroup> padding::groupDims(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  SmallVector<DimGroup> groups;
  unsigned i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    DimGroup group{i, i, j, j};
    int64_t a = i < from.size() ? from[i++] : 1, b = j < to.size() ? to[j++] : 1;
    while (a != b)
      a < b ? a *= from[i++] : b *= to[j++];
    group.fromEnd = i;
    group.toEnd = j;
    groups.push_back(group);
  }
  return groups;
}

bool padding::keepsOrder(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  auto isOuter = [](ArrayRef<int64_t> sizes) {
    ArrayRef<int64_t> rest = sizes.drop_while([](int64_t size) { return size == 1; });
    return rest.empty() || llvm::all_of(rest.drop_front(), llvm::isPowerOf2_64);
  };
  return isOuter(from) && isOuter(to);
}

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

/// The real number of each element of padded shape `to` (`flat`: its padded number), and from that
/// its padded number in `from`.
Value Padding::reorder(OpBuilder &b, ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  Location loc = function.getLoc();
  Value flat = range(b, 0, product(padSizes(to)));
  Type type = flat.getType();
  auto add = [&](Value sum, Value term) {
    return sum ? Value(arith::AddIOp::create(b, loc, sum, term)) : term;
  };
  auto scale = [&](Value value, int64_t factor) {
    return factor == 1 ? value
                       : Value(arith::MulIOp::create(b, loc, value, splat(b, type, factor)));
  };
  Value number, place;
  int64_t stride = 1, padded = 1;
  for (int64_t size : llvm::reverse(to)) {
    Value index = flat;
    if (padded > 1)
      index = arith::ShRUIOp::create(b, loc, index, splat(b, type, llvm::Log2_64(padded)));
    index = arith::AndIOp::create(b, loc, index, splat(b, type, padSize(size) - 1));
    if (size > 1)
      number = add(number, scale(index, stride));
    stride *= size;
    padded *= padSize(size);
  }
  // Surplus elements get large numbers, which do not matter.
  stride = padded = 1;
  for (int64_t size : llvm::reverse(from)) {
    if (size == 1)
      continue;
    Value index = number;
    if (stride > 1)
      index = arith::DivUIOp::create(b, loc, index, splat(b, type, stride));
    index = arith::RemUIOp::create(b, loc, index, splat(b, type, size));
    place = add(place, scale(index, padded));
    stride *= size;
    padded *= padSize(size);
  }
  return atEntry(b, place);
}

void Padding::padReshape(tile::ReshapeOp op) {
  if (!isPadded(op.getSource()) && !isPadded(op.getResult()))
    return;
  SmallVector<int64_t> from(realShape(op.getSource())), to(realShape(op.getResult()));
  // Any order would be right for the real elements alone.
  op.setAllowReorder(false);
  SmallVector<DimGroup> groups = groupDims(from, to);
  auto fromOf = [&](const DimGroup &g) { return ArrayRef(from).slice(g.from, g.fromEnd - g.from); };
  auto toOf = [&](const DimGroup &g) { return ArrayRef(to).slice(g.to, g.toEnd - g.to); };
  auto isPlain = [&](const DimGroup &g) { return keepsOrder(fromOf(g), toOf(g)); };
  if (llvm::all_of(groups, isPlain))
    return;

  OpBuilder b(op);
  auto type = cast<RankedTensorType>(op.getType());
  // Numbers in a row are computed where they go.
  if (auto numbers = op.getSource().getDefiningOp<tile::MakeRangeOp>()) {
    OpBuilder e = atEntry();
    Value sum = splat(e, type, int32_t(numbers.getStart()));
    int64_t stride = 1;
    for (unsigned dim = to.size(); dim-- > 0; stride *= to[dim]) {
      Value line = range(e, 0, type.getDimSize(dim));
      line = arith::MulIOp::create(e, op.getLoc(), line, splat(e, line.getType(), stride));
      sum = arith::AddIOp::create(e, op.getLoc(), sum, stretch(e, line, dim, type.getShape()));
    }
    replace(op, atEntry(e, sum));
    return;
  }

  // One group after the other: what is before it is in its new shape, what is behind in its old.
  auto sizeBefore = [&](const DimGroup &g) {
    return product(padSizes(ArrayRef(to).take_front(g.to)));
  };
  auto sizeBehind = [&](const DimGroup &g) {
    return product(padSizes(ArrayRef(from).drop_front(g.fromEnd)));
  };
  bool fits = llvm::all_of(groups, [&](const DimGroup &g) {
    return sizeBefore(g) * product(padSizes(toOf(g))) * sizeBehind(g) <= tile::kMaxElements;
  });
  if (!fits)
    groups = {{0, unsigned(from.size()), 0, unsigned(to.size())}};
  Value current = op.getSource();
  auto view = [&](ArrayRef<int64_t> shape) {
    auto as = RankedTensorType::get(shape, type.getElementType());
    if (current.getType() != as)
      current = tile::ReshapeOp::create(b, op.getLoc(), as, current, /*allow_reorder=*/false);
  };
  for (const DimGroup &g : groups) {
    if (isPlain(g))
      continue;
    int64_t before = sizeBefore(g), behind = sizeBehind(g);
    view({before, product(padSizes(fromOf(g))), behind});
    OpBuilder e = atEntry();
    Value places = reorder(e, fromOf(g), toOf(g));
    SmallVector<int64_t> shape{before, product(padSizes(toOf(g))), behind};
    Value indices = stretch(b, places, 1, shape);
    current = tile::GatherOp::create(
        b, op.getLoc(), RankedTensorType::get(shape, type.getElementType()), current, indices, 1);
  }
  view(type.getShape());
  replace(op, current);
}

//===----------------------------------------------------------------------===//
// Concatenation and gathering
//===----------------------------------------------------------------------===//

void Padding::padCat(tile::CatOp op) {
  if (!isPadded(op.getLhs()) && !isPadded(op.getRhs()) && !isPadded(op.getResult()))
    return;
  int64_t first = realShape(op.getLhs())[0];
  auto lhs = cast<RankedTensorType>(op.getLhs().getType());
  auto rhs = cast<RankedTensorType>(op.getRhs().getType());
  auto type = cast<RankedTensorType>(op.getType());
  bool areAlike = lhs == rhs;
  if (areAlike && !isPadded(op.getLhs()) && type.getDimSize(0) == 2 * lhs.getDimSize(0))
    return;
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value index = range(b, 0, type.getDimSize(0));
  auto constant = [&](int64_t number) { return splat(b, index.getType(), number); };
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, index, constant(first));
  auto gather = [&](Value source, Value places) -> Value {
    return tile::GatherOp::create(b, loc, type, source, places, 0);
  };
  int64_t size = lhs.getDimSize(0);
  if (areAlike && 2 * size <= tile::kMaxElements) {
    Value both = tile::CatOp::create(
        b, loc, RankedTensorType::get({2 * size}, type.getElementType()), op.getLhs(), op.getRhs());
    Value moved = arith::AddIOp::create(b, loc, index, constant(size - first));
    replace(op, gather(both, arith::SelectOp::create(b, loc, isFirst, index, moved)));
    return;
  }
  Value moved = arith::SubIOp::create(b, loc, index, constant(first));
  replace(op, arith::SelectOp::create(b, loc, isFirst, gather(op.getLhs(), index),
                                      gather(op.getRhs(), moved))
                  .getResult());
}

std::optional<std::pair<int64_t, int64_t>> Padding::boundsOf(Value value, unsigned depth) const {
  using Bounds = std::optional<std::pair<int64_t, int64_t>>;
  Operation *op = value.getDefiningOp();
  if (!op || depth > 8)
    return std::nullopt;
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return std::pair(number.getSExtValue(), number.getSExtValue());
  auto of = [&](unsigned operand) { return boundsOf(op->getOperand(operand), depth + 1); };
  auto inType = [&](int64_t low, int64_t high) -> Bounds {
    unsigned width = getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
    if (!llvm::isIntN(width, low) || !llvm::isIntN(width, high))
      return std::nullopt;
    return std::pair(low, high);
  };
  if (auto range = dyn_cast<tile::MakeRangeOp>(op)) {
    auto it = real.find(value);
    int64_t size = it != real.end() ? it->second.getDimSize(0)
                                    : cast<RankedTensorType>(range.getType()).getDimSize(0);
    return inType(int32_t(range.getStart()), int32_t(range.getStart()) + size - 1);
  }
  if (isa<tile::SplatOp, tile::BroadcastOp, tile::ExpandDimsOp, tile::TransOp, arith::ExtSIOp>(op))
    return of(0);
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return std::nullopt;
  Bounds a = of(0), c = of(1);
  constexpr int64_t kLarge = int64_t(1) << 31;
  if (!a || !c || std::max({-a->first, a->second, -c->first, c->second}) > kLarge)
    return std::nullopt;
  if (isa<arith::AddIOp>(op))
    return inType(a->first + c->first, a->second + c->second);
  if (isa<arith::SubIOp>(op))
    return inType(a->first - c->second, a->second - c->first);
  int64_t corners[] = {a->first * c->first, a->first * c->second, a->second * c->first,
                       a->second * c->second};
  return inType(*llvm::min_element(corners), *llvm::max_element(corners));
}

void Padding::padGather(tile::GatherOp op) {
  unsigned axis = op.getAxis();
  int64_t size = realShape(op.getSource())[axis];
  Value indices = op.getIndices();
  auto bounds = boundsOf(indices);
  if (bounds && bounds->first >= 0 && bounds->second < size)
    return;
  OpBuilder b(op);
  Location loc = op.getLoc();
  if (isPadded(indices))
    indices = selectReal(b, indices, paddedDims(indices),
                         b.getIntegerAttr(getElementTypeOrSelf(indices.getType()), 0));
  if (!llvm::isPowerOf2_64(size)) {
    unsigned width = getElementTypeOrSelf(indices.getType()).getIntOrFloatBitWidth();
    if (width < 32)
      indices = arith::ExtSIOp::create(
          b, loc, tile::withElementType(indices.getType(), b.getI32Type()), indices);
    // Modulo the real size, as the interpreter does: never negative.
    Value limit = splat(b, indices.getType(), size), zero = splat(b, indices.getType(), 0);
    Value rest = arith::RemSIOp::create(b, loc, indices, limit);
    Value isNegative = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, rest, zero);
    Value up = arith::AddIOp::create(b, loc, rest, limit);
    indices = arith::SelectOp::create(b, loc, isNegative, up, rest);
  }
  op.getIndicesMutable().assign(indices);
}
