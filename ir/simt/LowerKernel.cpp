// See LowerKernel.h: the function around a kernel's ops.
#include "ir/simt/LowerKernel.h"
#include "ir/schedule/ScheduleOps.h"
#include "ir/simt/Handlers.h"
#include "ir/simt/MatrixRegisters.h"
#include "ir/tile/SmallMemory.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;

/// With those of roles.
static unsigned countWarps(func::FuncOp kernel, const LowerOptions &options) {
  unsigned warps = options.numWarps;
  for (auto role : kernel.getOps<schedule::RoleOp>())
    warps = std::max(warps, role.getEnd());
  return warps;
}

/// Whether addresses are integers in the kernel. An access may then count from another pointer than
/// the sum that is its address seems to: the difference of two addresses, added to one of them.
static bool castsAddresses(func::FuncOp kernel) {
  return kernel
      .walk([](Operation *op) {
        return isa<tile::IntToPtrOp, tile::PtrToIntOp>(op) ? WalkResult::interrupt()
                                                           : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The function without its body.
static FailureOr<func::FuncOp> createLowered(ImplicitLocOpBuilder &b, func::FuncOp kernel,
                                             const LowerOptions &options) {
  if (!kernel.getBody().hasOneBlock())
    return kernel.emitError("control flow must be structured before a kernel is lowered to "
                            "threads");
  SmallVector<Type> types;
  for (Type type : kernel.getArgumentTypes()) {
    if (isa<RankedTensorType>(type) || isa<schedule::SchedDialect>(type.getDialect()))
      return kernel.emitError("a kernel's parameters are scalars and pointers, not ") << type;
    types.push_back(elementType(type));
  }
  auto lowered =
      func::FuncOp::create(b, kernel.getName(), FunctionType::get(b.getContext(), types, {}));
  lowered->setDiscardableAttrs(schedule::withoutSchedule(kernel->getDiscardableAttrDictionary()));
  lowered->setAttr(SimtDialect::kThreadsAttr,
                   b.getI32IntegerAttr(countWarps(kernel, options) * options.target->warpSize));
  if (Attribute registers = kernel->getAttr(schedule::SchedDialect::kRegisters))
    lowered->setAttr(SimtDialect::kRegistersAttr, registers);
  if (Attribute preferred = kernel->getAttr(schedule::SchedDialect::kPrefers))
    lowered->setAttr(SimtDialect::kPrefersAttr, preferred);
  if (ArrayAttr attributes = kernel.getAllArgAttrs())
    lowered.setAllArgAttrs(attributes);
  const bool hasCasts = castsAddresses(kernel);
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    if (isa<tile::PointerType>(type))
      lowered.setArgAttr(i, SimtDialect::kPointerAttr, b.getUnitAttr());
    if (hasCasts)
      lowered.removeArgAttr(i, tile::kSmallAttr);
  }
  return lowered;
}

FailureOr<func::FuncOp> simt::lowerKernel(func::FuncOp kernel, const LayoutAssignment &layouts,
                                          const LowerOptions &options, int64_t conversionBytes) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  FailureOr<func::FuncOp> lowered = createLowered(b, kernel, options);
  if (failed(lowered))
    return failure();
  Block *entry = lowered->addEntryBlock();
  b.setInsertionPointToStart(entry);
  LowerContext c(b, layouts, options, conversionBytes);
  LowerContext::Scope scope(c, entry, /*isLoop=*/false);
  for (auto [from, to] : llvm::zip(kernel.getArguments(), entry->getArguments())) {
    to.setLoc(from.getLoc());
    c.set(from, to);
  }
  if (failed(lowerBlock(c, kernel.getBody().front()))) {
    lowered->erase();
    return failure();
  }
  // No block ends while another one may still arrive at its barriers or copy to it.
  if (llvm::any_of(kernel.getBody().getOps<schedule::ChannelOp>(),
                   [](schedule::ChannelOp channel) { return channel.getEverywhere(); }))
    BarrierOp::create(b, BarrierScope::Cluster);
  func::ReturnOp::create(b);
  carryMatrices(*lowered);
  moveMatricesThroughShared(*lowered, options.numWarps, *options.target);
  return lowered;
}
