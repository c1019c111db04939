// See Addresses.h. Recursive over the ops that define a value; each element is looked at once.
#include "backends/amdgpu/Addresses.h"
#include "ir/simt/SimtOps.h"
#include "ir/tile/TileOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::amdgpu;

AddressAnalysis::AddressAnalysis(func::FuncOp kernel) : kernel(kernel) {}

static unsigned widthOf(Element element) {
  return getElementTypeOrSelf(element.value.getType()).getIntOrFloatBitWidth();
}

/// Whether a number is one of a signed type of so many bits.
static bool fits(int64_t number, unsigned width) { return llvm::isIntN(width, number); }

static bool hasNoSignedWrap(Operation *op) {
  auto flagged = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op);
  return flagged && flagged.hasNoSignedWrap();
}

Element AddressAnalysis::resolve(Element element) const {
  while (Operation *op = element.value.getDefiningOp()) {
    if (auto broadcast = dyn_cast<vector::BroadcastOp>(op);
        broadcast && !isa<VectorType>(broadcast.getSourceType())) {
      element = {broadcast.getSource(), 0};
    } else if (auto to = dyn_cast<vector::ToElementsOp>(op)) {
      element = {to.getSource(), cast<OpResult>(element.value).getResultNumber()};
    } else if (auto from = dyn_cast<vector::FromElementsOp>(op)) {
      element = {from.getElements()[element.index], 0};
    } else if (auto shuffle = dyn_cast<vector::ShuffleOp>(op)) {
      const int64_t place = shuffle.getMask()[element.index];
      const int64_t first = shuffle.getV1VectorType().getNumElements();
      if (place < 0)
        return element;
      element = place < first ? Element{shuffle.getV1(), unsigned(place)}
                              : Element{shuffle.getV2(), unsigned(place - first)};
    } else {
      return element;
    }
  }
  return element;
}

Element AddressAnalysis::operandOf(Element element, unsigned operand) const {
  Value value = element.value.getDefiningOp()->getOperand(operand);
  return resolve({value, isa<VectorType>(value.getType()) ? element.index : 0});
}

std::optional<int64_t> AddressAnalysis::constantOf(Element element) const {
  auto constant = element.value.getDefiningOp<arith::ConstantOp>();
  if (!constant || !isa<IntegerType>(getElementTypeOrSelf(constant.getType())) ||
      widthOf(element) > 64)
    return std::nullopt;
  if (auto number = dyn_cast<IntegerAttr>(constant.getValue()))
    return number.getValue().getSExtValue();
  if (auto dense = dyn_cast<DenseIntElementsAttr>(constant.getValue()))
    return dense.getValues<APInt>()[element.index].getSExtValue();
  return std::nullopt;
}

bool AddressAnalysis::isZero(Value vector) {
  const int64_t count = cast<VectorType>(vector.getType()).getNumElements();
  for (int64_t i = 0; i < count; ++i) {
    Element element = resolve({vector, unsigned(i)});
    auto constant = element.value.getDefiningOp<arith::ConstantOp>();
    if (!constant)
      return false;
    Attribute attribute = constant.getValue();
    if (auto dense = dyn_cast<DenseElementsAttr>(attribute))
      attribute = dense.getValues<Attribute>()[element.index];
    auto number = dyn_cast<FloatAttr>(attribute);
    if (number ? !number.getValue().bitcastToAPInt().isZero()
               : !isa<IntegerAttr>(attribute) || !cast<IntegerAttr>(attribute).getValue().isZero())
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// What all lanes have alike
//===----------------------------------------------------------------------===//

/// The loop whose number of the iteration a value is: control flow is the same for all lanes.
static scf::ForOp loopOf(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
  return loop && loop.getInductionVar() == value ? loop : scf::ForOp();
}

bool AddressAnalysis::computeUniform(Element element) {
  if (auto argument = dyn_cast<BlockArgument>(element.value))
    return argument.getOwner()->getParentOp() == kernel.getOperation() || loopOf(argument);
  Operation *op = element.value.getDefiningOp();
  if (isa<tile::ProgramIdOp, tile::NumProgramsOp, arith::ConstantOp>(op))
    return true;
  if (!isa_and_present<arith::ArithDialect>(op->getDialect()))
    return false;
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    if (!isUniform(operandOf(element, i)))
      return false;
  return true;
}

bool AddressAnalysis::isUniform(Element element) {
  const Key key{element.value, element.index};
  if (auto known = uniform.find(key); known != uniform.end())
    return known->second;
  const bool result = computeUniform(element);
  return uniform[key] = result;
}

bool AddressAnalysis::isUniformScalar(Element element) {
  return isUniform(element) && !isa<VectorType>(element.value.getType());
}

//===----------------------------------------------------------------------===//
// Bounds and low bits
//===----------------------------------------------------------------------===//

std::optional<AddressAnalysis::Bounds> AddressAnalysis::boundsOf(Element element) {
  if (std::optional<int64_t> number = constantOf(element))
    return Bounds{*number, *number};
  if (!isa<IntegerType>(getElementTypeOrSelf(element.value.getType())))
    return std::nullopt;
  const Key key{element.value, element.index};
  if (auto known = bounds.find(key); known != bounds.end())
    return known->second;
  std::optional<Bounds> result = computeBounds(element);
  // As a signed number of its type, or nothing is known.
  if (result && (!fits(result->low, widthOf(element)) || !fits(result->high, widthOf(element))))
    result = std::nullopt;
  return bounds[key] = result;
}

std::optional<AddressAnalysis::Bounds> AddressAnalysis::computeBounds(Element element) {
  if (scf::ForOp loop = loopOf(element.value)) {
    std::optional<Bounds> low = boundsOf(resolve({loop.getLowerBound()})),
                          high = boundsOf(resolve({loop.getUpperBound()}));
    if (!low || !high || loop.getUnsignedCmp())
      return std::nullopt;
    return Bounds{low->low, std::max(low->low, high->high - 1)};
  }
  Operation *op = element.value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (isa<simt::ThreadIdOp>(op)) {
    auto threads = kernel->getAttrOfType<IntegerAttr>(simt::SimtDialect::kThreadsAttr);
    return threads ? std::optional(Bounds{0, threads.getInt() - 1}) : std::nullopt;
  }
  if (isa<tile::ProgramIdOp>(op))
    return Bounds{0, std::numeric_limits<int32_t>::max()};
  if (!isa_and_present<arith::ArithDialect>(op->getDialect()) || widthOf(element) > 64)
    return std::nullopt;
  return boundsOfOp(op, element);
}

std::optional<AddressAnalysis::Bounds> AddressAnalysis::boundsOfOp(Operation *op, Element element) {
  if (isa<arith::ExtUIOp>(op)) {
    Element source = operandOf(element, 0);
    std::optional<Bounds> own = boundsOf(source);
    if (own && own->low >= 0)
      return own;
    return Bounds{0, int64_t(llvm::maxUIntN(widthOf(source)))};
  }
  std::optional<Bounds> a = boundsOf(operandOf(element, 0)), b;
  if (op->getNumOperands() > 1)
    b = boundsOf(operandOf(element, 1));
  if (isa<arith::AndIOp>(op)) {
    // A number that is not negative clears all bits above its own.
    int64_t high = std::numeric_limits<int64_t>::max();
    for (const std::optional<Bounds> &one : {a, b})
      if (one && one->low >= 0)
        high = std::min(high, one->high);
    return high == std::numeric_limits<int64_t>::max() ? std::nullopt
                                                       : std::optional(Bounds{0, high});
  }
  if (isa<arith::ExtSIOp, arith::TruncIOp>(op))
    return a;
  if (isa<arith::SelectOp>(op)) {
    std::optional<Bounds> c = boundsOf(operandOf(element, 2));
    return b && c ? std::optional(Bounds{std::min(b->low, c->low), std::max(b->high, c->high)})
                  : std::nullopt;
  }
  if (!a || !b)
    return std::nullopt;
  // Numbers of 32 bits cannot overflow here; larger ones are of no use.
  for (const Bounds &one : {*a, *b})
    if (!fits(one.low, 33) || !fits(one.high, 33))
      return std::nullopt;
  const bool natural = a->low >= 0 && b->low >= 0, shifts = natural && b->high < 31;
  auto bits = [](int64_t number) { return int64_t(llvm::NextPowerOf2(uint64_t(number)) - 1); };
  using Result = std::optional<Bounds>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](arith::AddIOp) -> Result { return Bounds{a->low + b->low, a->high + b->high}; })
      .Case([&](arith::SubIOp) -> Result { return Bounds{a->low - b->high, a->high - b->low}; })
      .Case([&](arith::MulIOp) -> Result {
        if (!natural || !fits(a->high, 31) || !fits(b->high, 31))
          return std::nullopt;
        return Bounds{a->low * b->low, a->high * b->high};
      })
      .Case([&](arith::ShLIOp) -> Result {
        if (!shifts)
          return std::nullopt;
        return Bounds{a->low << b->low, a->high << b->high};
      })
      .Case<arith::ShRUIOp, arith::ShRSIOp>([&](auto) -> Result {
        if (!shifts)
          return std::nullopt;
        return Bounds{a->low >> b->high, a->high >> b->low};
      })
      .Case<arith::OrIOp, arith::XOrIOp>([&](auto) -> Result {
        if (!natural)
          return std::nullopt;
        return Bounds{0, bits(a->high) | bits(b->high)};
      })
      .Case<arith::RemUIOp, arith::RemSIOp>([&](auto) -> Result {
        if (!natural || b->low == 0)
          return std::nullopt;
        return Bounds{0, std::min(a->high, b->high - 1)};
      })
      .Case<arith::DivUIOp, arith::DivSIOp>([&](auto) -> Result {
        if (!natural || b->low == 0)
          return std::nullopt;
        return Bounds{a->low / b->high, a->high / b->low};
      })
      .Case([&](arith::MinSIOp) -> Result {
        return Bounds{std::min(a->low, b->low), std::min(a->high, b->high)};
      })
      .Case([&](arith::MaxSIOp) -> Result {
        return Bounds{std::max(a->low, b->low), std::max(a->high, b->high)};
      })
      .Default(Result());
}

unsigned AddressAnalysis::zerosOf(Element element) {
  if (std::optional<int64_t> number = constantOf(element))
    return *number ? llvm::countr_zero(uint64_t(*number)) : 64;
  const Key key{element.value, element.index};
  if (auto known = zeros.find(key); known != zeros.end())
    return known->second;
  const unsigned result = computeZeros(element);
  return zeros[key] = result;
}

unsigned AddressAnalysis::computeZeros(Element element) {
  if (scf::ForOp loop = loopOf(element.value))
    return std::min(zerosOf(resolve({loop.getLowerBound()})), zerosOf(resolve({loop.getStep()})));
  if (auto argument = dyn_cast<BlockArgument>(element.value)) {
    if (argument.getOwner()->getParentOp() != kernel.getOperation())
      return 0;
    auto divisor = kernel.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(),
                                                        tile::TileDialect::kDivisibilityAttr);
    return divisor ? llvm::countr_zero(uint64_t(divisor.getInt())) : 0;
  }
  Operation *op = element.value.getDefiningOp();
  auto of = [&](unsigned operand) { return zerosOf(operandOf(element, operand)); };
  if (isa<arith::MulIOp>(op))
    return std::min(of(0) + of(1), 64u);
  if (isa<arith::AndIOp>(op))
    return std::max(of(0), of(1));
  if (isa<arith::AddIOp, arith::SubIOp, arith::OrIOp, arith::XOrIOp>(op))
    return std::min(of(0), of(1));
  if (isa<arith::SelectOp>(op))
    return std::min(of(1), of(2));
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op))
    return of(0);
  if (isa<arith::ShLIOp>(op)) {
    std::optional<int64_t> distance = constantOf(operandOf(element, 1));
    return distance && *distance >= 0 ? std::min<uint64_t>(of(0) + *distance, 64) : of(0);
  }
  return 0;
}

bool AddressAnalysis::isMultiple(Element element, int64_t factor, unsigned bits) {
  return zerosOf(element) + llvm::countr_zero(uint64_t(factor)) >= bits;
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// Whether `b` has no bit from the lowest of `a` on.
bool AddressAnalysis::isDisjoint(Element a, Element b) {
  std::optional<Bounds> own = boundsOf(b);
  const unsigned zeros = std::min(zerosOf(a), 62u);
  return own && own->low >= 0 && own->high < int64_t(1) << zeros;
}

bool AddressAnalysis::isExactSum(Operation *op, Element element) {
  if (!isa<arith::AddIOp, arith::OrIOp, arith::XOrIOp>(op))
    return false;
  Element a = operandOf(element, 0), b = operandOf(element, 1);
  const bool disjoint = isDisjoint(a, b) || isDisjoint(b, a);
  // Bounds are known only of a sum that does not overflow.
  return disjoint || (isa<arith::AddIOp>(op) && (hasNoSignedWrap(op) || boundsOf(element)));
}

bool AddressAnalysis::addLeaf(Element element, int64_t factor, AddressParts &parts) {
  if (isUniformScalar(element)) {
    parts.uniform.push_back({element, factor});
    return true;
  }
  std::optional<Bounds> own = boundsOf(element);
  int64_t low, high;
  if (!own || llvm::MulOverflow(own->low, factor, low) ||
      llvm::MulOverflow(own->high, factor, high))
    return false;
  if (factor < 0)
    std::swap(low, high);
  parts.varying.push_back({element, factor});
  return !llvm::AddOverflow(parts.low, low, parts.low) &&
         !llvm::AddOverflow(parts.high, high, parts.high);
}

bool AddressAnalysis::add(Element element, int64_t factor, AddressParts &parts) {
  if (std::optional<int64_t> number = constantOf(element)) {
    int64_t product;
    return !llvm::MulOverflow(*number, factor, product) &&
           !llvm::AddOverflow(parts.constant, product, parts.constant);
  }
  Operation *op = element.value.getDefiningOp();
  if (!op || isUniformScalar(element))
    return addLeaf(element, factor, parts);
  // 64-bit sums and products may wrap, as the address does; those of fewer bits must be exact.
  const bool wraps = widthOf(element) == 64;
  if (isa<arith::ExtSIOp>(op))
    return add(operandOf(element, 0), factor, parts);
  if (isa<arith::ExtUIOp>(op)) {
    Element source = operandOf(element, 0);
    std::optional<Bounds> own = boundsOf(source);
    return own && own->low >= 0 ? add(source, factor, parts) : addLeaf(element, factor, parts);
  }
  if ((wraps && isa<arith::AddIOp>(op)) || isExactSum(op, element))
    return add(operandOf(element, 0), factor, parts) && add(operandOf(element, 1), factor, parts);
  if (isa<arith::MulIOp, arith::ShLIOp>(op) &&
      (wraps || hasNoSignedWrap(op) || boundsOf(element))) {
    std::optional<int64_t> number = constantOf(operandOf(element, 1));
    int64_t product;
    if (number && isa<arith::ShLIOp>(op))
      number = *number >= 0 && *number < 32 ? std::optional(int64_t(1) << *number) : std::nullopt;
    if (number && !llvm::MulOverflow(*number, factor, product))
      return add(operandOf(element, 0), product, parts);
  }
  return addLeaf(element, factor, parts);
}

std::optional<AddressParts> AddressAnalysis::split(Value address) {
  AddressParts parts;
  if (!add(resolve({address}), 1, parts))
    return std::nullopt;
  return parts;
}
