// Registration of the `tile` dialect: its types, attributes and ops, how folded constants become
// ops, that everything in it may be inlined, and the checks on the discardable attributes of
// kernels.
#include "ir/tile/KeepOther.h"
#include "ir/tile/LoopHints.h"
#include "ir/tile/SmallMemory.h"
#include "ir/tile/TileBytecode.h"
#include "ir/tile/TileOps.h"

#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;
using namespace tilerun::tile;

#include "ir/tile/TileDialect.cpp.inc"

#include "ir/tile/TileEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "ir/tile/TileAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "ir/tile/TileTypes.cpp.inc"

namespace {
/// Ops of this dialect are legal wherever they are moved: nothing in them depends on the function
/// around.
struct TileInlinerInterface : public DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
};
} // namespace

void TileDialect::initialize() {
  registerTypes();
  registerAttributes();
  registerOps();
  addInterfaces<TileInlinerInterface>();
  addBytecodeInterface(*this);
}

void TileDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "ir/tile/TileTypes.cpp.inc"
      >();
}

void TileDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/tile/TileAttrs.cpp.inc"
      >();
}

void TileDialect::registerOps() {
  addOperations<
#define GET_OP_LIST
#include "ir/tile/TileOps.cpp.inc"
      >();
}

Operation *TileDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                            Location loc) {
  if (auto poison = dyn_cast<ub::PoisonAttr>(value))
    return ub::PoisonOp::create(builder, loc, type, poison);
  if (arith::ConstantOp::isBuildableWith(value, type))
    return arith::ConstantOp::create(builder, loc, type, cast<TypedAttr>(value));
  return nullptr;
}

static LogicalResult verifyLoopAttribute(Operation *op, NamedAttribute attribute) {
  if (!isa<LoopLikeOpInterface>(op))
    return op->emitOpError() << "'" << attribute.getName().getValue() << "' belongs on a loop";
  if (attribute.getName() == kSplitLoop)
    return success();
  auto value = dyn_cast<IntegerAttr>(attribute.getValue());
  if (value && value.getType().isSignlessInteger(64) &&
      (attribute.getName() != kNumStagesHint || value.getInt() >= 0))
    return success();
  return op->emitOpError() << "'" << attribute.getName().getValue() << "' must be an i64"
                           << (attribute.getName() == kNumStagesHint ? " of at least 0" : "")
                           << ", but is " << attribute.getValue();
}

static LogicalResult verifyBlocks(Operation *op, Attribute value) {
  auto blocks = dyn_cast<IntegerAttr>(value);
  if (op->hasAttr(TileDialect::kKernelAttr) && blocks && blocks.getType().isSignlessInteger(32) &&
      llvm::isPowerOf2_64(blocks.getInt()) && blocks.getInt() <= TileDialect::kMostBlocks)
    return success();
  return op->emitOpError() << "'" << TileDialect::kBlocksAttr << "' must be a power of two up to "
                           << TileDialect::kMostBlocks << " of type i32, on a kernel";
}

static LogicalResult verifyMostPrograms(Operation *op, Attribute value) {
  auto most = dyn_cast<DenseI32ArrayAttr>(value);
  if (op->hasAttr(TileDialect::kKernelAttr) && most && most.size() == 3 &&
      llvm::none_of(most.asArrayRef(), [](int32_t number) { return number < 0; }))
    return success();
  return op->emitOpError() << "'" << TileDialect::kMostProgramsAttr
                           << "' must be three numbers that are not negative, on a kernel";
}

LogicalResult TileDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (llvm::is_contained(kLoopHints, name))
    return verifyLoopAttribute(op, attribute);
  if (name == kBlocksAttr)
    return verifyBlocks(op, attribute.getValue());
  if (name == kMostProgramsAttr)
    return verifyMostPrograms(op, attribute.getValue());
  bool isUnit = llvm::is_contained(
      {kKernelAttr, kSignedAttr, kUnsignedAttr, kKeepOtherAttr, kSplitLoop}, name);
  if (!isUnit)
    return op->emitOpError() << "the tile dialect has no attribute '" << name << "' of ops";
  if (!isa<UnitAttr>(attribute.getValue()))
    return op->emitOpError() << "'" << name << "' is a unit attribute; remove its value";
  if (name == kSplitLoop)
    return verifyLoopAttribute(op, attribute);
  if (attribute.getName() == kKernelAttr) {
    auto function = dyn_cast<FunctionOpInterface>(op);
    if (!function)
      return op->emitOpError() << "'" << kKernelAttr << "' belongs on a function";
    if (function.getNumResults() != 0)
      return op->emitOpError() << "a kernel returns nothing, but this one has "
                               << function.getNumResults() << " results";
    for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
      if (isa<DescriptorType>(type))
        return op->emitOpError() << "a kernel takes no descriptor, but argument " << index
                                 << " is one; pass its address, sizes and strides, and make it in "
                                    "the kernel";
  }
  return success();
}

LogicalResult TileDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned argIndex,
                                                    NamedAttribute attribute) {
  if (attribute.getName() == kDivisibilityAttr) {
    auto value = dyn_cast<IntegerAttr>(attribute.getValue());
    if (!value || !value.getType().isSignlessInteger(64) || value.getInt() < 1)
      return op->emitOpError() << "argument " << argIndex << ": '" << kDivisibilityAttr
                               << "' must be a positive i64, but is " << attribute.getValue();
    if (auto function = dyn_cast<FunctionOpInterface>(op)) {
      Type type = function.getArgumentTypes()[argIndex];
      if (!type.isSignlessInteger() && !isa<PointerType>(type))
        return op->emitOpError() << "argument " << argIndex << ": '" << kDivisibilityAttr
                                 << "' needs an integer or a pointer, but the type is " << type;
    }
  } else if (attribute.getName() == kSmallAttr) {
    if (!isa<UnitAttr>(attribute.getValue()))
      return op->emitOpError() << "argument " << argIndex << ": '" << kSmallAttr
                               << "' takes no value, but has " << attribute.getValue();
    if (auto function = dyn_cast<FunctionOpInterface>(op)) {
      // In per-thread IR a pointer is an integer.
      Type type = function.getArgumentTypes()[argIndex];
      if (!type.isSignlessInteger(64) && !isa<PointerType>(type))
        return op->emitOpError() << "argument " << argIndex << ": '" << kSmallAttr
                                 << "' needs a pointer, but the type is " << type;
    }
  } else if (attribute.getName() == kNameAttr) {
    if (!isa<StringAttr>(attribute.getValue()))
      return op->emitOpError() << "argument " << argIndex << ": '" << kNameAttr
                               << "' must be a string, but is " << attribute.getValue();
  }
  return success();
}
