// See Handlers.h: the table, and the walk that asks it.
#include "ir/simt/Handlers.h"
#include "ir/simt/HandlerList.h"

#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

namespace {
template <typename... Ops> struct OpList {};

template <typename Op, typename... Listed> constexpr bool isListed(OpList<Listed...>) {
  return (std::is_same_v<Op, Listed> || ...);
}

#define HANDLE_IN_ORDER(OP) OP,
#define HANDLE_ON_DEMAND(OP) OP,
#define HANDLE_ELEMENTWISE(OP) OP,
#define COPY_ELEMENTWISE(OP) OP,
#define PART_OF_PARENT(OP) OP,
#define REFUSE(OP) OP,
using Listed = OpList<
#include "ir/simt/Handlers.def"
    void>;

/// Named in the compiler's message if an op is missing, without the whole list.
template <typename Op> constexpr bool hasEntry = isListed<Op>(Listed());
template <typename Op> struct IsListed {
  static_assert(hasEntry<Op>, "Handlers.def has no entry for this op");
  static constexpr bool value = true;
};
template <typename... Ops> constexpr bool areListed(OpList<Ops...>) {
  return (IsListed<Ops>::value && ...);
}
static_assert(areListed(OpList<
#define GET_OP_LIST
#include "ir/tile/TileOps.cpp.inc"
                        >()));
static_assert(areListed(OpList<
#define GET_OP_LIST
#include "ir/schedule/ScheduleOps.cpp.inc"
                        >()));

struct Table {
  llvm::DenseMap<TypeID, Handler> handlers;
  llvm::DenseSet<TypeID> refused;

  Table() {
#define HANDLE_IN_ORDER(OP)                                                                        \
  handlers[TypeID::get<OP>()].lower = [](LowerContext &c, Operation *op) {                         \
    return simt::lower(c, cast<OP>(op));                                                           \
  };
#define HANDLE_ON_DEMAND(OP)                                                                       \
  handlers[TypeID::get<OP>()].build = [](LowerContext &c, Operation *op,                           \
                                         const LinearLayout &layout) {                             \
    return simt::build(c, cast<OP>(op), layout);                                                   \
  };
#define HANDLE_ELEMENTWISE(OP)                                                                     \
  handlers[TypeID::get<OP>()].apply = [](LowerContext &c, Operation *op, ValueRange operands,      \
                                         unsigned count) {                                         \
    return simt::apply(c, cast<OP>(op), operands, count);                                          \
  };
#define COPY_ELEMENTWISE(OP) handlers[TypeID::get<OP>()].apply = copyElementwise;
#define PART_OF_PARENT(OP) handlers[TypeID::get<OP>()].isPartOfParent = true;
#define REFUSE(OP) refused.insert(TypeID::get<OP>());
#include "ir/simt/Handlers.def"
  }
};

const Table &table() {
  static const Table instance;
  return instance;
}
} // namespace

const Handler *simt::findHandler(OperationName name) {
  auto found = table().handlers.find(name.getTypeID());
  return found == table().handlers.end() ? nullptr : &found->second;
}

bool simt::isRefused(OperationName name) { return table().refused.contains(name.getTypeID()); }

//===----------------------------------------------------------------------===//
// Ops in program order
//===----------------------------------------------------------------------===//

LogicalResult simt::lowerBlock(LowerContext &c, Block &block) {
  for (Operation &op : block.without_terminator()) {
    c.b.setLoc(op.getLoc());
    if (failed(lowerOp(c, &op)))
      return failure();
  }
  c.b.setLoc(block.getTerminator()->getLoc());
  return success();
}

LogicalResult simt::lowerOp(LowerContext &c, Operation *op) {
  const Handler *handler = findHandler(op->getName());
  if (!handler)
    return c.refuse(op, "it is not supported yet");
  return handler->lower ? handler->lower(c, op) : lowerResults(c, op);
}

LogicalResult simt::lowerResults(LowerContext &c, Operation *op) {
  // A tensor with a layout of its own is computed here, once; else where it is used.
  for (Value value : op->getResults())
    if (isa<RankedTensorType>(value.getType()))
      if (const LinearLayout *home = c.layouts.getHome(value)) {
        FailureOr<Value> built = buildOnDemand(c, value, LinearLayout(*home));
        if (failed(built))
          return failure();
        c.set(value, *built);
      }
  if (llvm::none_of(op->getResultTypes(), [](Type type) { return !isa<RankedTensorType>(type); }))
    return success();
  Values operands;
  for (Value operand : op->getOperands()) {
    FailureOr<Value> scalar = c.getScalar(operand);
    if (failed(scalar))
      return failure();
    operands.push_back(*scalar);
  }
  FailureOr<Values> results = applyElementwise(c, op, operands, 0);
  if (failed(results))
    return failure();
  for (auto [value, result] : llvm::zip(op->getResults(), *results))
    c.set(value, result);
  return success();
}

//===----------------------------------------------------------------------===//
// Values on demand
//===----------------------------------------------------------------------===//

FailureOr<Values> simt::applyElementwise(LowerContext &c, Operation *op, ValueRange operands,
                                         unsigned count) {
  const Handler *handler = findHandler(op->getName());
  if (!handler || !handler->apply)
    return c.refuse(op, "it is not supported yet");
  return handler->apply(c, op, operands, count);
}

FailureOr<Value> simt::buildOnDemand(LowerContext &c, Value value, const LinearLayout &layout) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return c.reportInternal(value.getLoc(), "a block argument has no layout");
  Location outer = c.b.getLoc();
  llvm::scope_exit restore([&] { c.b.setLoc(outer); });
  c.b.setLoc(value.getLoc());
  const Handler *handler = findHandler(op->getName());
  if (handler && handler->build)
    return handler->build(c, op, layout);
  // Ops that the walk lowers have been lowered by now.
  if (!handler || !handler->apply || handler->lower)
    return c.refuse(op, "internal error: the value was used before it was lowered");
  Values operands;
  for (Value operand : op->getOperands()) {
    FailureOr<Value> registers = c.getLike(operand, layout);
    if (failed(registers))
      return failure();
    operands.push_back(*registers);
  }
  unsigned count = 1u << layout.inBits(layout::kRegister);
  FailureOr<Values> results = handler->apply(c, op, operands, count);
  if (failed(results))
    return failure();
  Value result = (*results)[cast<OpResult>(value).getResultNumber()];
  SmallVector<int64_t> same = c.layouts.getSameRegisters(value, layout);
  return same.empty() ? result : pick(c.b, result, same);
}
