// The verifier of the attributes of distribution, so that later passes may rely on them:
// hand-written layouts are checked as well.
#include "ir/distribute/DistributeDialect.h"
#include "ir/distribute/LayoutAssignment.h"
#include "ir/layout/TensorLayout.h"
#include "ir/tile/TileOps.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::distribute;
using layout::LinearLayout;

/// The attribute of the module around, or of an op that is nearer; null if there is none.
template <typename T> static T getAround(Operation *op, StringRef name) {
  for (op = op->getParentOp(); op; op = op->getParentOp())
    if (auto attribute = op->getAttrOfType<T>(name))
      return attribute;
  return {};
}

/// A layout of `type` over the program's threads, in the form that passes work with. `repeats`: a
/// thread's registers may hold elements that others of it hold.
static LogicalResult checkLayout(Operation *op, StringRef name, LayoutAttr attribute, Type type,
                                 bool repeats = false) {
  auto fail = [&] {
    return op->emitOpError() << "'" << name << "': " << attribute.getMap().toString() << " ";
  };
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return fail() << "is given for a value of type " << type << ", which is not a tensor";
  const LinearLayout &map = attribute.getMap();
  bool fits = int64_t(map.getOuts().size()) == tensor.getRank();
  for (int64_t dim = 0; fits && dim < tensor.getRank(); ++dim)
    fits = map.getOuts()[dim].name == layout::dimName(dim) &&
           map.getOuts()[dim].size() == uint64_t(tensor.getDimSize(dim));
  if (!fits)
    return fail() << "is not a layout of " << tensor;
  ArrayRef<layout::Dim> ins = map.getIns();
  if (ins.size() != 3 || ins[0].name != layout::kRegister || ins[1].name != layout::kLane ||
      ins[2].name != layout::kWarp)
    return fail() << "must have the inputs register, lane and warp, in this order";
  if (auto target = getAround<TargetAttr>(op, DistributeDialect::kTargetAttr);
      target && ins[1].size() != target.getInfo().warpSize)
    return fail() << "is over " << ins[1].size() << " lanes, but the target has "
                  << target.getInfo().warpSize;
  if (auto warps = getAround<IntegerAttr>(op, DistributeDialect::kNumWarpsAttr);
      warps && ins[2].size() != uint64_t(warps.getInt()))
    return fail() << "is over " << ins[2].size() << " warps, but the program has "
                  << warps.getInt();
  if (!map.isSurjective())
    return fail() << "leaves out elements of " << tensor;
  if (!repeats && map.freeVariableMask(layout::kRegister))
    return fail() << "has registers that repeat others of the same thread";
  return success();
}

/// One layout or `unit` for each value.
static LogicalResult checkHomes(Operation *op, NamedAttribute named, ArrayRef<Value> values) {
  StringRef name = named.getName();
  auto list = dyn_cast<ArrayAttr>(named.getValue());
  if (!list || list.size() != values.size())
    return op->emitOpError() << "'" << name << "' must be an array of " << values.size()
                             << (values.size() == 1 ? " entry" : " entries");
  for (auto [entry, value] : llvm::zip(list, values)) {
    if (isa<UnitAttr>(entry))
      continue;
    auto home = dyn_cast<LayoutAttr>(entry);
    if (!home)
      return op->emitOpError() << "'" << name << "': " << entry << " is neither a layout nor unit";
    if (failed(checkLayout(op, name, home, value.getType())))
      return failure();
  }
  return success();
}

/// The operand of an op of another dialect that is a tensor of pointers; null if there is none.
static Value getPointers(Operation *op) {
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()) &&
        isa<tile::PointerType>(getElementTypeOrSelf(operand.getType())))
      return operand;
  return {};
}

static LogicalResult checkAccess(Operation *op, Attribute attribute) {
  StringRef name = DistributeDialect::kAccessAttr;
  Value pointer = llvm::TypeSwitch<Operation *, Value>(op)
                      .Case<tile::LoadOp, tile::StoreOp, tile::AtomicRMWOp, tile::AtomicCASOp>(
                          [](auto access) { return access.getPtr(); })
                      .Default(getPointers);
  auto access = dyn_cast<AccessAttr>(attribute);
  if (!pointer || !access)
    return op->emitOpError() << "'" << name
                             << "' must be #distribute.access, on a load, store or atomic";
  if (failed(checkLayout(op, name, access.getLayout(), pointer.getType())))
    return failure();
  int64_t rank = cast<RankedTensorType>(pointer.getType()).getRank();
  for (auto [what, list] : {std::pair("contiguity", access.getContiguity()),
                            std::pair("alignment", access.getAlignment()),
                            std::pair("constancy", access.getConstancy())})
    if (list.size() != rank || llvm::any_of(list.asArrayRef(), [](int64_t n) { return n < 1; }))
      return op->emitOpError() << "'" << name << "': " << what << " must be " << rank
                               << " positive numbers";
  SmallVector<int64_t> order(access.getOrder().asArrayRef());
  llvm::sort(order);
  if (!llvm::equal(order, llvm::seq<int64_t>(0, rank)))
    return op->emitOpError() << "'" << name << "': order must be a permutation of " << rank
                             << " dimensions";
  if (access.getTileInner() < -1 || access.getTileInner() >= rank)
    return op->emitOpError() << "'" << name << "': tile_inner must be a dimension";
  return success();
}

/// The registers of a plan are fragments of its instruction (null: none), as many as its bits say.
static LogicalResult checkFragments(tile::DotOp dot, DotAttr plan,
                                    const target::MatrixInstruction *row) {
  unsigned steps = plan.getStepBits(), rows = plan.getRowBits(), columns = plan.getColumnBits(),
           batches = plan.getBatchBits();
  auto fail = [&] { return dot.emitOpError() << "'" << DistributeDialect::kDotAttr << "': "; };
  if (!row) {
    if (plan.getA() || plan.getB() || plan.getColumns() || plan.getParts() != 1 || steps || rows ||
        columns || batches || plan.getSwapped())
      return fail() << "without an instruction there is only d";
    return success();
  }
  if (plan.getSwapped() && !plan.getWarpGroup() &&
      (row->isOpaque || row->m != row->n || row->a != row->b))
    return fail() << "only instructions of one warp that are square and take operands of one type "
                     "can be swapped";
  if (plan.getWarpGroup())
    return success();
  uint64_t inner = cast<RankedTensorType>(dot.getA().getType()).getShape().back();
  if (steps >= 32 || std::max<uint64_t>(inner, row->k) != uint64_t(row->k) << steps)
    return fail() << "step_bits = " << steps << " are not the steps of " << row->k << " in "
                  << inner;
  for (const auto &[name, layout, fragment, bits] :
       {std::tuple("a", plan.getA(), row->aLayout, steps + rows + batches),
        std::tuple("b", plan.getB(), row->bLayout, steps + columns + batches),
        std::tuple("d", plan.getD(), row->dLayout, rows + columns + batches)})
    if (layout &&
        layout.getMap().inBits(layout::kRegister) != fragment.inBits(layout::kRegister) + bits)
      return fail() << name << " has " << layout.getMap().inBits(layout::kRegister)
                    << " bits of registers, but a fragment has "
                    << fragment.inBits(layout::kRegister) << " and fragments are numbered by "
                    << bits;
  return success();
}

/// A plan with an instruction of warp groups.
static LogicalResult checkWarpGroup(tile::DotOp dot, DotAttr plan, const target::TargetInfo &info) {
  auto fail = [&] { return dot.emitOpError() << "'" << DistributeDialect::kDotAttr << "': "; };
  if (plan.getSwapped() && !plan.getTurns())
    return fail() << "a product of warp groups is swapped for its turns alone";
  if (!plan.getInstruction() || !(plan.getSwapped() ? plan.getB() : plan.getA()) ||
      (!plan.getTurns() && plan.getB()))
    return fail() << (plan.getSwapped() ? "warp_group with swapped needs instruction and b"
                                        : "warp_group needs instruction and a, and leaves out b "
                                          "unless it has turns");
  const target::WarpGroupInstruction *row = info.findWarpGroup(plan.getWarpGroup());
  if (!row)
    return fail() << info.name << " has no instruction of warp groups " << plan.getWarpGroup();
  if (!llvm::isPowerOf2_32(plan.getColumns()) || plan.getColumns() < row->leastColumns() ||
      plan.getColumns() > row->n)
    return fail() << "columns must be a power of two from " << row->leastColumns() << " to "
                  << row->n;
  int64_t steps = cast<RankedTensorType>(dot.getA().getType()).getShape().back() / row->k;
  if (plan.getTurns() && (!llvm::isPowerOf2_32(plan.getTurns()) || plan.getTurns() > steps))
    return fail() << "turns must be a power of two up to the " << steps << " steps along k";
  return success();
}

static LogicalResult checkDot(Operation *op, Attribute attribute) {
  StringRef name = DistributeDialect::kDotAttr;
  auto dot = dyn_cast<tile::DotOp>(op);
  auto plan = dyn_cast<DotAttr>(attribute);
  if (!dot || !plan)
    return op->emitOpError() << "'" << name << "' must be #distribute.dot, on tile.dot";
  for (auto [layout, value] :
       {std::pair(plan.getA(), dot.getA()), std::pair(plan.getB(), dot.getB()),
        std::pair(plan.getD(), dot.getResult())})
    if (layout && failed(checkLayout(op, name, layout, value.getType(), /*repeats=*/true)))
      return failure();
  if (plan.getParts() < 1 || plan.getParts() > 3)
    return op->emitOpError() << "'" << name << "': parts must be 1, 2 or 3";
  auto target = getAround<TargetAttr>(op, DistributeDialect::kTargetAttr);
  if (!target)
    return success();
  const target::TargetInfo &info = target.getInfo();
  bool isOpaque = false;
  const target::MatrixInstruction *found = nullptr;
  if (StringAttr instruction = plan.getInstruction()) {
    found = info.findMatrix(instruction);
    if (!found)
      return op->emitOpError() << "'" << name << "': " << info.name << " has no matrix instruction "
                               << instruction;
    isOpaque = found->isOpaque;
  }
  if (plan.getWarpGroup()) {
    if (failed(checkWarpGroup(dot, plan, info)))
      return failure();
  } else if (plan.getTurns()) {
    return op->emitOpError() << "'" << name << "': turns are of an instruction of warp groups";
  } else if (plan.getInstruction() && !isOpaque && (!plan.getA() || !plan.getB())) {
    return op->emitOpError() << "'" << name << "': instruction needs a and b";
  }
  return checkFragments(dot, plan, found);
}

static LogicalResult checkRuns(Operation *op, Attribute attribute) {
  auto runs = dyn_cast<DenseI64ArrayAttr>(attribute);
  auto type = op->getNumResults() ? dyn_cast<RankedTensorType>(op->getResult(0).getType())
                                  : RankedTensorType();
  if (!LayoutAssignment::mayHaveRuns(op) || !type || !runs || runs.size() != type.getRank() ||
      llvm::any_of(runs.asArrayRef(), [](int64_t n) { return n < 1; }))
    return op->emitOpError() << "'" << DistributeDialect::kRunsAttr
                             << "' must be a positive number for each dimension, on a comparison, "
                                "a division, a shift to the right or an address of tensors";
  return success();
}

static LogicalResult checkNumber(Operation *op, NamedAttribute named, bool isPowerOfTwo) {
  auto number = dyn_cast<IntegerAttr>(named.getValue());
  if (!isa<ModuleOp>(op) || !number || !number.getType().isSignlessInteger(32) ||
      number.getInt() < 1 || (isPowerOfTwo && !llvm::isPowerOf2_64(number.getInt())))
    return op->emitOpError() << "'" << named.getName().strref() << "' must be "
                             << (isPowerOfTwo ? "a power of two" : "a positive number")
                             << " of type i32, on a module";
  return success();
}

LogicalResult DistributeDialect::verifyOperationAttribute(Operation *op, NamedAttribute named) {
  StringRef name = named.getName();
  if (name == kTargetAttr) {
    if (isa<ModuleOp>(op) && isa<TargetAttr>(named.getValue()))
      return success();
    return op->emitOpError() << "'" << name << "' must be #distribute.target, on a module";
  }
  if (name == kNumWarpsAttr || name == kNumCtasAttr)
    return checkNumber(op, named, /*isPowerOfTwo=*/true);
  if (name == kFewProgramsAttr) {
    if (isa<ModuleOp>(op) && isa<UnitAttr>(named.getValue()))
      return success();
    return op->emitOpError() << "'" << name << "' must be a unit attribute, on a module";
  }
  if (name == kNumStagesAttr || name == kWarpUnitAttr)
    return checkNumber(op, named, /*isPowerOfTwo=*/false);
  if (name == kAcrossKAttr) {
    auto way = dyn_cast<StringAttr>(named.getValue());
    if (isa<ModuleOp>(op) && way && parseAcrossK(way))
      return success();
    return op->emitOpError() << "'" << name
                             << "' must be \"auto\", \"registers\" or \"copies\", on a module";
  }
  if (name == kHomesAttr) {
    SmallVector<Value> results(op->getResults());
    return checkHomes(op, named, results);
  }
  if (name == kArgumentsAttr) {
    if (!isa<LoopLikeOpInterface>(op))
      return op->emitOpError() << "'" << name << "' belongs on loops";
    SmallVector<Value> arguments;
    for (Region &region : op->getRegions())
      llvm::append_range(arguments, region.getArguments());
    return checkHomes(op, named, arguments);
  }
  if (name == kAccessAttr)
    return checkAccess(op, named.getValue());
  if (name == kDotAttr)
    return checkDot(op, named.getValue());
  if (name == kRunsAttr)
    return checkRuns(op, named.getValue());
  return op->emitOpError() << "the distribute dialect has no attribute '" << name << "'";
}
