// See Boxes.h.
#include "ir/schedule/Boxes.h"
#include "ir/schedule/RingTile.h"
#include "ir/schedule/UnreadRows.h"
#include "ir/tile/Remarks.h"
#include "ir/tile/TileUtils.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;

/// The hardware's: of dimensions, and of a stride's bytes.
static constexpr unsigned kMostDims = 5, kStrideBytes = 16;
/// The extent of a dimension without a bound: the kernel promises that all of it is there.
static constexpr int64_t kUnbounded = std::numeric_limits<int32_t>::max();

namespace {
/// A dimension of the tensor.
struct Dim {
  Polynomial stride, start;         ///< In elements.
  std::optional<Polynomial> extent; ///< None: no bound.
  std::optional<unsigned> along;    ///< The tile's dimension; none: the box is one element.
  std::optional<AffineForm::Wrap> wrap = {}; ///< Of its indices.
  bool isAboveZero = false;                  ///< The mask is false at negative indices.
};
} // namespace

struct BoxFinder::Search {
  Search(BoxFinder &finder, tile::LoadOp load, unsigned inner)
      : finder(finder), load(load), ptr(load.getPtr()), mask(load.getMask()), inner(inner),
        type(cast<RankedTensorType>(load.getType())) {}
  Search(BoxFinder &finder, tile::StoreOp store, unsigned inner)
      : finder(finder), ptr(store.getPtr()), mask(store.getMask()), inner(inner),
        type(cast<RankedTensorType>(store.getValue().getType())) {}

  /// nullopt: `getReason` says why.
  std::optional<Box> run();
  const std::string &getReason() const { return reason; }

private:
  bool refuse(const Twine &why) {
    reason = why.str();
    return false;
  }
  Value symbol(unsigned number) const { return finder.forms.getSymbol(number); }
  bool isOfArguments(const Polynomial &value) const;
  Polynomial withoutReversed(const Polynomial &value);
  bool isNatural(const Polynomial &value);
  bool isNatural(Value value, unsigned depth);
  int64_t divisibilityOf(const Polynomial &value) const;
  AffineExpr toExpr(const Polynomial &value);

  bool readAddress();
  void place(const Polynomial::Product &product, int64_t factor);
  bool readMask();
  bool checkWraps();
  bool checkStarts();
  Box make();

  BoxFinder &finder;
  tile::LoadOp load; ///< Null: it is a store.
  Value ptr, mask;
  unsigned inner;
  RankedTensorType type;
  std::string reason;
  BlockArgument base;
  SmallVector<Dim, 5> dims;
  llvm::SetVector<unsigned> arguments; ///< Numbers of those that are symbols of the maps.
  llvm::SetVector<unsigned> natural;   ///< Numbers of those that must not be negative.
};

//===----------------------------------------------------------------------===//
// Polynomials of arguments
//===----------------------------------------------------------------------===//

bool BoxFinder::Search::isOfArguments(const Polynomial &value) const {
  return llvm::all_of(value.getTerms(), [&](const auto &term) {
    return llvm::all_of(term.first, [&](unsigned number) { return argumentOf(symbol(number)); });
  });
}

/// Whether a scalar is not negative, if arguments are not.
bool BoxFinder::Search::isNatural(Value value, unsigned depth) {
  constexpr unsigned kMostDepth = 16;
  if (!value) // The number of the iteration.
    return true;
  if (BlockArgument argument = argumentOf(value)) {
    natural.insert(argument.getArgNumber());
    return true;
  }
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    // An outer loop's counter grows from its start.
    auto outer = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return outer && depth < kMostDepth && argument == outer.getInductionVar() &&
           isNatural(outer.getLowerBound(), depth + 1) && isNatural(outer.getStep(), depth + 1);
  }
  Operation *op = value.getDefiningOp();
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return !number.isNegative();
  if (isa<tile::ProgramIdOp, tile::NumProgramsOp, tile::BlockRankOp, arith::ExtUIOp>(op))
    return true;
  if (!isa<arith::AddIOp, arith::MulIOp, arith::DivSIOp, arith::MinSIOp, arith::MaxSIOp,
           arith::RemSIOp, arith::ExtSIOp>(op) ||
      depth == kMostDepth)
    return false;
  // A remainder has the sign of its dividend, and what divides indices is positive.
  unsigned operands = isa<arith::RemSIOp, arith::DivSIOp>(op) ? 1 : op->getNumOperands();
  return llvm::all_of(op->getOperands().take_front(operands),
                      [&](Value operand) { return isNatural(operand, depth + 1); });
}

/// Without what counts programs from the last one: multiples of num_programs - 1 - program_id,
/// which is not negative.
Polynomial BoxFinder::Search::withoutReversed(const Polynomial &value) {
  Polynomial rest = value;
  auto areNatural = [&](const Polynomial::Product &symbols) {
    return llvm::all_of(symbols, [&](unsigned number) { return isNatural(symbol(number), 0); });
  };
  for (const auto &[product, factor] : value.getTerms())
    for (unsigned number : product) {
      Value scalar = symbol(number);
      auto id = scalar ? scalar.getDefiningOp<tile::ProgramIdOp>() : tile::ProgramIdOp();
      if (factor >= 0 || !id)
        continue;
      Polynomial::Product others = product;
      others.erase(llvm::find(others, number));
      Polynomial multiple;
      multiple.add(others, -factor);
      for (const auto &[other, unused] : value.getTerms())
        for (unsigned count : other) {
          Value programs = symbol(count);
          auto op =
              programs ? programs.getDefiningOp<tile::NumProgramsOp>() : tile::NumProgramsOp();
          if (!op || op.getAxis() != id.getAxis() || !areNatural(others))
            continue;
          return rest - multiple * (Polynomial::symbol(count) - Polynomial::constant(1) -
                                    Polynomial::symbol(number));
        }
    }
  return rest;
}

bool BoxFinder::Search::isNatural(const Polynomial &value) {
  return llvm::all_of(withoutReversed(value).getTerms(), [&](const auto &term) {
    return term.second > 0 &&
           llvm::all_of(term.first, [&](unsigned number) { return isNatural(symbol(number), 0); });
  });
}

/// The largest power of two that is known to divide a polynomial of arguments.
int64_t BoxFinder::Search::divisibilityOf(const Polynomial &value) const {
  static constexpr int64_t kMost = int64_t(1) << 32;
  auto powerIn = [](int64_t number) { return std::min(number & -number, kMost); };
  int64_t common = kMost;
  for (const auto &[product, factor] : value.getTerms()) {
    int64_t divides = powerIn(factor);
    for (unsigned number : product) {
      BlockArgument argument = argumentOf(symbol(number));
      auto kernel = cast<func::FuncOp>(argument.getOwner()->getParentOp());
      if (auto known = kernel.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(),
                                                            tile::TileDialect::kDivisibilityAttr))
        divides = std::min(divides * powerIn(known.getInt()), kMost);
    }
    common = std::min(common, divides);
  }
  return common;
}

AffineExpr BoxFinder::Search::toExpr(const Polynomial &value) {
  return *tilerun::toExpr(value, type.getContext(), arguments,
                          [&](unsigned number) { return argumentOf(symbol(number)); });
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// What one product of the part that all elements share adds to: the start of the dimension with
/// the same arguments as factors, that of the contiguous one if there are none, or that of a
/// dimension of its own.
void BoxFinder::Search::place(const Polynomial::Product &product, int64_t factor) {
  Polynomial::Product ofArguments, others;
  for (unsigned number : product)
    (argumentOf(symbol(number)) ? ofArguments : others).push_back(number);
  for (Dim &dim : llvm::drop_begin(dims)) {
    const auto &[strides, unit] = *dim.stride.getTerms().begin();
    // Constants alone count along the contiguous dimension.
    if (strides == ofArguments && factor % unit == 0 && !product.empty()) {
      dim.start.add(others, factor / unit);
      return;
    }
  }
  if (ofArguments.empty() || others.empty()) {
    dims.front().start.add(product, factor);
    return;
  }
  Dim own{{}, {}, std::nullopt, std::nullopt};
  own.stride.add(ofArguments, 1);
  own.start.add(others, factor);
  dims.push_back(std::move(own));
}

bool BoxFinder::Search::readAddress() {
  std::optional<AffineForm> form = finder.forms.get(ptr);
  if (!form)
    return refuse("its address is not a sum of multiples of its indices");
  base = argumentOf(form->base);
  if (!base)
    return refuse("its address does not begin at an argument of the kernel");
  auto kernel = cast<func::FuncOp>(base.getOwner()->getParentOp());
  auto alignment = kernel.getArgAttrOfType<IntegerAttr>(base.getArgNumber(),
                                                        tile::TileDialect::kDivisibilityAttr);
  if (!alignment || alignment.getInt() % kStrideBytes)
    return refuse("the address that it begins at is not known to be a multiple of 16 bytes");
  if (form->strides[inner].getConstant() != 1)
    return refuse("its elements are not contiguous along dimension " + Twine(inner));
  for (unsigned along : {inner, 1 - inner})
    dims.push_back({form->strides[along], {}, std::nullopt, along});
  const Polynomial &lines = dims[1].stride;
  // A launch whose tensors no map can have would do without all boxes.
  if (!load && llvm::any_of(lines.getTerms(), [](const auto &term) { return term.second < 0; }))
    return refuse("its stride along dimension " + Twine(1 - inner) + " is negative");
  if (lines.getTerms().size() != 1 || !isOfArguments(lines))
    return refuse("its stride along dimension " + Twine(1 - inner) +
                  " is not a product of arguments and constants");
  for (const auto &[product, factor] : form->uniform.getTerms())
    place(product, factor);
  for (const AffineForm::Wrap &wrap : form->wraps)
    dims[wrap.dim == inner ? 0 : 1].wrap = wrap;
  if (dims.size() > kMostDims)
    return refuse("its tensor would have " + Twine(dims.size()) + " dimensions, and " +
                  Twine(kMostDims) + " are possible");
  for (const Dim &dim : llvm::drop_begin(dims))
    if (divisibilityOf(dim.stride) * tile::getElementBytes(type.getElementType()) % kStrideBytes)
      return refuse("a stride of its tensor is not known to be a multiple of 16 bytes");
  return true;
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

/// start + i < extent along a dimension; or 0 <= start + i, which every box respects.
bool BoxFinder::Search::readMask() {
  for (const Condition &condition : getConditions(mask)) {
    std::string why;
    std::optional<MaskBound> bound = getBound(condition, finder.forms, why);
    if (!bound)
      return refuse("its mask has " + why);
    Dim &dim = dims[bound->dim == inner ? 0 : 1];
    if (!bound->isUpper) {
      // start + i > start + difference
      if (!(dim.start + bound->difference == Polynomial::constant(-1)))
        return refuse("its mask has a lower bound other than 0 along dimension " +
                      Twine(bound->dim));
      dim.isAboveZero = true;
      continue;
    }
    Polynomial extent = dim.start - bound->difference;
    if (!extent.isValid() || !isOfArguments(extent))
      return refuse("the bound of its mask along dimension " + Twine(bound->dim) +
                    " does not follow from the kernel's arguments");
    if (dim.extent && !(*dim.extent == extent))
      return refuse("its mask has two bounds along dimension " + Twine(bound->dim));
    dim.extent = extent;
  }
  return true;
}

/// Indices that wrap are those of rows whose results nobody stores, and the tensor ends there.
bool BoxFinder::Search::checkWraps() {
  for (Dim &dim : dims) {
    if (!dim.wrap)
      continue;
    if (!load)
      return refuse("its indices along dimension " + Twine(*dim.along) +
                    " wrap around, and what wraps would be stored");
    if (!(dim.start == dim.wrap->start) || !isOfArguments(dim.wrap->modulus))
      return refuse("its indices along dimension " + Twine(*dim.along) +
                    " wrap around in the middle of the tensor");
    if (dim.extent && !(*dim.extent == dim.wrap->modulus))
      return refuse("its indices along dimension " + Twine(*dim.along) +
                    " wrap around at another place than its mask ends");
    UnreadRows rows{finder.forms, dim.start, dim.wrap->modulus};
    if (Operation *reader = rows.findReader(load.getResult(), *dim.along))
      return refuse("its indices along dimension " + Twine(*dim.along) +
                    " wrap around, and this '" + reader->getName().getStringRef() + "'" +
                    describeLine(reader->getLoc()) + " may read what is there");
    dim.extent = dim.wrap->modulus;
  }
  return true;
}

bool BoxFinder::Search::checkStarts() {
  for (const Dim &dim : dims)
    if (!dim.start.isValid() || (!dim.isAboveZero && !isNatural(dim.start)))
      return refuse("it may begin at a negative index of its tensor");
  if (load)
    return true;
  if (!natural.empty())
    return refuse("it begins at an index that an argument may make negative");
  // Starts have 32 bits, however many the kernel's own sums have.
  constexpr int64_t kMostFactor = int64_t(1) << 20;
  for (const Dim &dim : dims)
    for (const auto &[product, factor] : dim.start.getTerms())
      if (!product.empty() && std::abs(factor) >= kMostFactor)
        return refuse("an index that it begins at is a multiple of " + Twine(factor) +
                      ", which may exceed 32 bits");
  return true;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

Box BoxFinder::Search::make() {
  MLIRContext *context = type.getContext();
  int64_t bytes = tile::getElementBytes(type.getElementType());
  SmallVector<AffineExpr> extents, strides;
  SmallVector<int64_t> tile;
  Box box;
  for (const Dim &dim : dims) {
    extents.push_back(dim.extent ? toExpr(*dim.extent)
                                 : getAffineConstantExpr(kUnbounded, context));
    tile.push_back(dim.along ? type.getDimSize(*dim.along) : 1);
    box.starts.push_back(dim.start);
  }
  for (const Dim &dim : llvm::drop_begin(dims))
    strides.push_back(toExpr(dim.stride * Polynomial::constant(bytes)));
  auto toMap = [&](ArrayRef<AffineExpr> exprs) {
    return AffineMapAttr::get(AffineMap::get(0, arguments.size(), exprs, context));
  };
  auto toArray = [&](ArrayRef<unsigned> numbers) {
    return DenseI32ArrayAttr::get(context, SmallVector<int32_t>(numbers));
  };
  box.tensor = BoxAttr::get(context, base.getArgNumber(), type.getElementType(),
                            toArray(arguments.getArrayRef()), toMap(extents), toMap(strides),
                            DenseI64ArrayAttr::get(context, tile), toArray(natural.getArrayRef()));
  return box;
}

std::optional<Box> BoxFinder::Search::run() {
  bool isBox = true;
  if (std::string fault = findBoxFault(type, inner); !fault.empty())
    isBox = refuse(fault);
  else if (load && load.getOther() && !tile::isPositiveZero(load.getOther()))
    isBox = refuse("boxes have 0 where the mask is false, and 'other' is not 0");
  isBox = isBox && readAddress() && (!mask || readMask()) && checkWraps() && checkStarts();
  return isBox ? std::optional(make()) : std::nullopt;
}

template <typename Op>
std::optional<Box> BoxFinder::search(Op access, unsigned inner, Refusal &refusal) {
  Search search(*this, access, inner);
  std::optional<Box> box = search.run();
  if (!box)
    refusal = {access, search.getReason()};
  return box;
}

std::optional<Box> BoxFinder::find(tile::LoadOp load, unsigned inner, Refusal &refusal) {
  return search(load, inner, refusal);
}

std::optional<Box> BoxFinder::find(tile::StoreOp store, unsigned inner, Refusal &refusal) {
  return search(store, inner, refusal);
}

std::optional<Box> BoxFinder::find(tile::LoadOp load) {
  Refusal unused;
  std::optional<Box> box = find(load, getRing(load).getInner(), unused);
  if (box && box->tensor != load->getAttr(SchedDialect::kBox))
    box.reset();
  return box;
}

void BoxFinder::addScalars(const Box &box, llvm::SetVector<Value> &scalars) const {
  for (const Polynomial &start : box.starts)
    for (const auto &[product, factor] : start.getTerms())
      for (unsigned number : product)
        if (Value scalar = forms.getSymbol(number))
          scalars.insert(scalar);
}

Value BoxFinder::emit(ImplicitLocOpBuilder &b, const Polynomial &start, const IRMapping &map,
                      Value iteration) const {
  auto constant = [&](int64_t value) { return arith::ConstantIntOp::create(b, value, 32); };
  Value sum;
  for (const auto &[product, factor] : start.getTerms()) {
    Value term;
    for (unsigned number : product) {
      Value scalar = forms.getSymbol(number);
      scalar = scalar ? map.lookupOrDefault(scalar) : iteration;
      unsigned width = scalar.getType().getIntOrFloatBitWidth();
      if (width > 32)
        scalar = arith::TruncIOp::create(b, b.getI32Type(), scalar);
      else if (width < 32)
        scalar = arith::ExtSIOp::create(b, b.getI32Type(), scalar);
      term = term ? arith::MulIOp::create(b, term, scalar).getResult() : scalar;
    }
    if (!term)
      term = constant(factor);
    else if (factor != 1)
      term = arith::MulIOp::create(b, term, constant(factor));
    sum = sum ? arith::AddIOp::create(b, sum, term).getResult() : term;
  }
  return sum ? sum : constant(0).getResult();
}
