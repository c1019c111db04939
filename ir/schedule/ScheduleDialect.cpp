// Registration of the `sched` dialect, and what can be wrong with a schedule that the IR alone
// tells. CheckSchedule.cpp asks the target.
#include "ir/schedule/ScheduleDialect.h"
#include "ir/schedule/LateProducts.h"
#include "ir/schedule/LoopHazards.h"
#include "ir/schedule/LoopSlice.h"
#include "ir/schedule/ScheduleOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;

#include "ir/schedule/ScheduleDialect.cpp.inc"
#include "ir/schedule/ScheduleEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "ir/schedule/ScheduleAttrs.cpp.inc"

void SchedDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/schedule/ScheduleAttrs.cpp.inc"
      >();
}

void SchedDialect::initialize() {
  registerAttributes();
  registerTypes();
  registerOps();
}

DictionaryAttr schedule::withoutSchedule(DictionaryAttr attributes) {
  SmallVector<NamedAttribute> rest;
  for (NamedAttribute attribute : attributes)
    if (!attribute.getName().strref().starts_with("sched."))
      rest.push_back(attribute);
  return DictionaryAttr::get(attributes.getContext(), rest);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

std::string schedule::findFault(int64_t slots, int64_t distance, CopyKind copies) {
  auto number = [](int64_t value) { return std::to_string(value); };
  auto counted = [&](int64_t count, const char *what) {
    return number(count) + " " + what + (count == 1 ? "" : "s");
  };
  if (slots < 1 || slots > kMaxSlots)
    return "a ring has 1 to " + number(kMaxSlots) + " slots, not " + number(slots);
  if (copies == CopyKind::Registers) {
    if (distance == slots)
      return "";
    return "loads through registers into " + counted(slots, "slot") + " run ahead by " +
           counted(slots, "iteration") + ", not by " + number(distance);
  }
  if (slots < 2)
    return "asynchronous copies need 2 slots or more: one is read while another is filled";
  if (distance >= 1 && distance < slots)
    return "";
  return "asynchronous copies into " + number(slots) + " slots run ahead by " +
         (slots == 2 ? "" : "1 to ") + counted(slots - 1, "iteration") + ", not by " +
         number(distance);
}

static LogicalResult verifyPipeline(Operation *op, Attribute value) {
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop)
    return op->emitOpError("has 'sched.pipeline', which belongs on scf.for");
  auto pipeline = dyn_cast<PipelineAttr>(value);
  if (!pipeline)
    return op->emitOpError() << "has 'sched.pipeline' = " << value
                             << ", which is not a #sched.pipeline";
  std::string fault = findFault(pipeline.getSlots(), pipeline.getDistance(), pipeline.getCopies());
  if (!fault.empty())
    return op->emitOpError("has an impossible pipeline: ") << fault;
  if (loop.getUnsignedCmp())
    return op->emitOpError("has a pipeline, but compares its induction variable as unsigned; past "
                           "the end of the loop that may wrap around");
  for (auto load : loop.getBody()->getOps<tile::LoadOp>())
    if (getRing(load))
      return success();
  return op->emitOpError("has a pipeline, but no load in its body has 'sched.ring'");
}

/// Of `sched.role`, and of `sched.role_asked`.
static LogicalResult verifyRole(Operation *op, StringRef name, Attribute value) {
  auto loop = dyn_cast<scf::ForOp>(op);
  PipelineAttr pipeline = loop ? getPipeline(loop) : PipelineAttr();
  if (!pipeline)
    return op->emitOpError() << "has '" << name
                             << "', which belongs on a loop with 'sched.pipeline'";
  auto role = dyn_cast<RoleAttr>(value);
  if (!role)
    return op->emitOpError() << "has '" << name << "' = " << value
                             << ", which is not a #sched.role";
  if (role.getProducers() < 1 || role.getProducers() > kMaxProducers)
    return op->emitOpError() << "has a producer of " << role.getProducers()
                             << " warps; it has 1 to " << kMaxProducers;
  // Whether the loop can have what is asked for is said when it gets it.
  if (name == SchedDialect::kRoleAsked)
    return success();
  if (pipeline.getCopies() == CopyKind::Registers)
    return op->emitOpError(
        "has roles, but a producer fills slots by copies = chunks or copies = boxes");
  if (!isa<func::FuncOp>(loop->getParentOp()))
    return op->emitOpError("has roles, but is not in the block of a kernel");
  return success();
}

static LogicalResult verifyByHand(Operation *op, Attribute value) {
  bool isLoop = isa<scf::ForOp>(op) && op->hasAttr(SchedDialect::kPipeline);
  if (isLoop && isa<UnitAttr, NameLoc>(value))
    return success();
  return op->emitOpError(
      "has 'sched.by_hand', which belongs on a loop with 'sched.pipeline' and is "
      "a unit attribute or a named location");
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

std::string schedule::findFault(RankedTensorType tile, RingAttr form) {
  auto number = [](int64_t value) { return std::to_string(value); };
  if (form.getInner() > 1)
    return "a ring whose inner dimension is " + number(form.getInner()) +
           ", but a tile has the dimensions 0 and 1";
  unsigned bytes = tile::getElementBytes(tile.getElementType());
  int64_t line = tile.getDimSize(form.getInner()) * bytes, pitch = form.getPitch();
  if (form.getOrder() != TileOrder::Padded && pitch != 0)
    return "a " + stringifyTileOrder(form.getOrder()).str() + " ring with a pitch of " +
           number(pitch) + " bytes; only padded ones have a pitch";
  if (form.getOrder() == TileOrder::Padded && (pitch < line || pitch % 16))
    return "a ring with a pitch of " + number(pitch) +
           " bytes, but must have a multiple of 16 that holds a line of " + number(line) + " bytes";
  unsigned perWord = form.getPerWord();
  if (perWord != 1 && (!llvm::is_contained({2u, 4u}, perWord) || perWord * bytes > 4))
    return "a ring with " + number(perWord) + " elements of " + number(bytes) +
           " bytes in a word of 4 bytes";
  return "";
}

static LogicalResult verifyForm(tile::LoadOp load, RingAttr ring, CopyKind copies) {
  auto type = dyn_cast<RankedTensorType>(load.getType());
  if (!type || type.getRank() != 2)
    return load.emitOpError() << "has 'sched.ring', but loads " << load.getType()
                              << "; slots hold tensors of two dimensions";
  if (std::string fault = findFault(type, ring); !fault.empty())
    return load.emitOpError() << "has " << fault;
  if (copies == CopyKind::Boxes && ring.getOrder() != TileOrder::Swizzled)
    return load.emitOpError("has a ring that is not swizzled, which boxes cannot fill");
  if (copies == CopyKind::Chunks && ring.getOrder() == TileOrder::Padded)
    return load.emitOpError("has a padded ring, which asynchronous copies cannot fill");
  if (copies != CopyKind::Registers && ring.getPerWord() != 1)
    return load.emitOpError("has a ring with several elements in a word, which only copies through "
                            "registers have");
  return success();
}

static LogicalResult verifyRing(Operation *op, Attribute value) {
  auto load = dyn_cast<tile::LoadOp>(op);
  if (!load)
    return op->emitOpError("has 'sched.ring', which belongs on tile.load");
  auto ring = dyn_cast<RingAttr>(value);
  if (!ring)
    return op->emitOpError() << "has 'sched.ring' = " << value << ", which is not a #sched.ring";
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  PipelineAttr pipeline = loop ? getPipeline(loop) : PipelineAttr();
  if (!pipeline)
    return op->emitOpError("has 'sched.ring', but is not in the body of a loop with "
                           "'sched.pipeline'");
  if (failed(verifyForm(load, ring, pipeline.getCopies())))
    return failure();
  if (load.getResult().use_empty())
    return op->emitOpError("has 'sched.ring', but its slots are never read");
  if (OpOperand *use = findOtherUse(load.getResult(), loop.getBody())) {
    auto error = op->emitOpError("has 'sched.ring', but is not only read by products of the loop's "
                                 "body, in the iteration that its slot lives for");
    error.attachNote(use->getOwner()->getLoc()) << "it is read here";
    return error;
  }
  if (pipeline.getCopies() == CopyKind::Boxes) {
    if (!load->hasAttr(SchedDialect::kBox))
      return op->emitOpError("has 'sched.ring' in a loop with copies = boxes, but no 'sched.box'");
  } else if (LoopSlice slice; Operation *blocker = slice.add(loop, load, /*takesLoads=*/true)) {
    auto error = op->emitOpError("has 'sched.ring', but its address or mask cannot be computed for "
                                 "later iterations");
    error.attachNote(blocker->getLoc())
        << "because it depends on this '" << blocker->getName() << "'";
    return error;
  }
  if (std::optional<LoopHazard> hazard = LoopHazards(loop).find(load)) {
    auto error = op->emitOpError("has 'sched.ring', but may not be made earlier: ") << hazard->why;
    error.attachNote(hazard->op->getLoc()) << "here";
    return error;
  }
  return success();
}

/// That it is the tensor which the load reads is found again wherever that matters (Boxes.h).
static LogicalResult verifyBox(Operation *op, Attribute value) {
  auto load = dyn_cast<tile::LoadOp>(op);
  auto loop = load ? dyn_cast<scf::ForOp>(op->getParentOp()) : scf::ForOp();
  PipelineAttr pipeline = loop ? getPipeline(loop) : PipelineAttr();
  if (!load || !getRing(load) || !pipeline || pipeline.getCopies() != CopyKind::Boxes)
    return op->emitOpError("has 'sched.box', which belongs on a tile.load with 'sched.ring' in a "
                           "loop with copies = boxes");
  if (!isa<BoxAttr>(value))
    return op->emitOpError() << "has 'sched.box' = " << value << ", which is not a #sched.box";
  return success();
}

LogicalResult BoxAttr::verify(function_ref<InFlightDiagnostic()> emitError, unsigned, Type,
                              DenseI32ArrayAttr arguments, AffineMapAttr extents,
                              AffineMapAttr strides, DenseI64ArrayAttr tile, DenseI32ArrayAttr) {
  constexpr unsigned kMostDims = 5;
  unsigned rank = tile.size();
  if (rank < 1 || rank > kMostDims)
    return emitError() << "a box has 1 to " << kMostDims << " dimensions, not " << rank;
  if (extents.getValue().getNumResults() != rank || strides.getValue().getNumResults() != rank - 1)
    return emitError() << "a box of " << rank << " dimensions has as many extents, and " << rank - 1
                       << " strides";
  for (AffineMap map : {extents.getValue(), strides.getValue()})
    if (map.getNumDims() || map.getNumSymbols() != unsigned(arguments.size()))
      return emitError() << "the maps of a box have a symbol for each of its " << arguments.size()
                         << " arguments";
  return success();
}

LogicalResult PrefersAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  DenseI32ArrayAttr arguments, AffineMapAttr number) {
  AffineMap map = number.getValue();
  if (map.getNumResults() != 1 || map.getNumDims() ||
      map.getNumSymbols() != unsigned(arguments.size()))
    return emitError() << "the number that a kernel prefers has a symbol for each of its "
                       << arguments.size() << " arguments";
  return success();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static LogicalResult verifyDeferred(Operation *op, Attribute value) {
  auto dot = dyn_cast<tile::DotOp>(op);
  if (!dot)
    return op->emitOpError("has 'sched.deferred', which belongs on tile.dot");
  if (!isa<UnitAttr>(value))
    return op->emitOpError("has 'sched.deferred' with a value; it is a unit attribute");
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  PipelineAttr pipeline = loop ? getPipeline(loop) : PipelineAttr();
  if (!pipeline || pipeline.getCopies() == CopyKind::Registers)
    return op->emitOpError("has 'sched.deferred', but is not in the body of a loop with "
                           "asynchronous copies");
  for (Value operand : {dot.getA(), dot.getB()}) {
    tile::LoadOp load = loadOf(operand);
    if (!load || load->getParentOp() != loop || !getRing(load))
      return op->emitOpError("has 'sched.deferred', but an operand is not in a ring, so that "
                             "nothing keeps it until the product is done");
  }
  std::optional<unsigned> index = carriedIndex(dot, loop);
  if (!index || !dot.getAcc().hasOneUse() || !dot.getResult().hasOneUse() ||
      loop.getBody()->getTerminator()->getOperand(*index) != dot.getResult())
    return op->emitOpError("has 'sched.deferred', but its sum is read or made by an op other "
                           "than the next iteration's product");
  return success();
}

static LogicalResult verifyStage(Operation *op, Attribute value) {
  auto dot = dyn_cast<tile::DotOp>(op);
  if (!dot)
    return op->emitOpError("has 'sched.stage', which belongs on tile.dot");
  auto stage = dyn_cast<IntegerAttr>(value);
  if (!stage || !stage.getType().isSignlessInteger(32) || stage.getInt() != 1)
    return op->emitOpError() << "has 'sched.stage' = " << value
                             << "; a product is one iteration late, 1 : i32";
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  PipelineAttr pipeline = loop ? getPipeline(loop) : PipelineAttr();
  if (!pipeline || pipeline.getCopies() != CopyKind::Boxes)
    return op->emitOpError("has 'sched.stage', but is not in the body of a loop with copies = "
                           "boxes");
  if (llvm::any_of(loop.getBody()->getOps<tile::DotOp>(), isDeferred))
    return op->emitOpError("has 'sched.stage' beside a product with 'sched.deferred'");
  Refusal refusal;
  if (findLateProduct(dot, loop, refusal))
    return success();
  auto error = op->emitOpError("has 'sched.stage', but cannot be made late: ") << refusal.why;
  error.attachNote(refusal.op->getLoc()) << "here";
  return error;
}

/// Its sum is carried by the loop around, and read behind a sched.dot_wait alone.
static LogicalResult verifyInFlight(Operation *op, Attribute value) {
  auto dot = dyn_cast<tile::DotOp>(op);
  if (!dot)
    return op->emitOpError("has 'sched.in_flight', which belongs on tile.dot");
  if (!isa<UnitAttr>(value))
    return op->emitOpError("has 'sched.in_flight' with a value; it is a unit attribute");
  auto isWait = [&](Operation *user) {
    return isa<DotWaitOp>(user) && user->getBlock() == op->getBlock();
  };
  if (!op->use_empty() && llvm::all_of(op->getUsers(), isWait))
    return success();
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  std::optional<unsigned> index = loop ? carriedIndex(dot, loop) : std::nullopt;
  if (!index || !dot.getAcc().hasOneUse() || !dot.getResult().hasOneUse() ||
      loop.getBody()->getTerminator()->getOperand(*index) != dot.getResult())
    return op->emitOpError("has 'sched.in_flight', but its sum is read or made by an op other "
                           "than the next iteration's product");
  for (Operation *user : loop.getResult(*index).getUsers())
    if (!isa<DotWaitOp>(user)) {
      auto error = op->emitOpError("has 'sched.in_flight', but its sum is read without a "
                                   "'sched.dot_wait'");
      error.attachNote(user->getLoc()) << "here";
      return error;
    }
  return success();
}

/// Whether the loop around `op`, if it is in one, yields what it carries. The loop's own verifier,
/// which says what is wrong, runs behind those of the ops in it.
static bool isInWholeLoop(Operation *op) {
  auto loop = dyn_cast_or_null<scf::ForOp>(op->getParentOp());
  auto yield = loop ? dyn_cast<scf::YieldOp>(loop.getBody()->back()) : scf::YieldOp();
  return !loop || (yield && yield.getNumOperands() == loop.getNumRegionIterArgs());
}

LogicalResult SchedDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (!isInWholeLoop(op))
    return success();
  StringRef name = attribute.getName();
  Attribute value = attribute.getValue();
  if (name == kPipeline)
    return verifyPipeline(op, value);
  if (name == kRing)
    return verifyRing(op, value);
  if (name == kBox)
    return verifyBox(op, value);
  if (name == kDeferred)
    return verifyDeferred(op, value);
  if (name == kStage)
    return verifyStage(op, value);
  if (name == kRole || name == kRoleAsked)
    return verifyRole(op, name, value);
  if (name == kByHand)
    return verifyByHand(op, value);
  if (name == kInFlight)
    return verifyInFlight(op, value);
  if (name == kTurns) {
    if (isa<tile::DotOp>(op) && isa<UnitAttr>(value))
      return success();
    return op->emitOpError("has 'sched.turns', a unit attribute that belongs on tile.dot");
  }
  if (name == kExpanded || name == kPersistent) {
    if (isa<func::FuncOp>(op) && isa<UnitAttr>(value))
      return success();
    return op->emitOpError("has '") << name << "', a unit attribute that belongs on a kernel";
  }
  if (name == kPrefers) {
    if (isa<func::FuncOp>(op) && isa<PrefersAttr>(value))
      return success();
    return op->emitOpError("has 'sched.prefers', a #sched.prefers that belongs on a kernel");
  }
  if (name == kConversions) {
    auto bytes = dyn_cast<IntegerAttr>(value);
    if (!isa<func::FuncOp, scf::ForOp, AheadOp, KeepOp, RoleOp>(op))
      return op->emitOpError("has 'sched.conversions', which belongs on a kernel or a loop");
    if (!bytes || !bytes.getType().isSignlessInteger(64) || bytes.getInt() < 1)
      return op->emitOpError() << "has 'sched.conversions' = " << value
                               << ", which is not a positive i64";
    return success();
  }
  if (name == kFewerWarps || name == kRegisters) {
    auto number = dyn_cast<IntegerAttr>(value);
    if (!isa<func::FuncOp>(op))
      return op->emitOpError("has '") << name << "', which belongs on a kernel";
    if (!number || !number.getType().isSignlessInteger(64) || number.getInt() < 1)
      return op->emitOpError() << "has '" << name << "' = " << value
                               << ", which is not a positive i64";
    return success();
  }
  if (name == "sched.cluster")
    return op->emitOpError() << "has '" << name << "', which is reserved: no pass reads it yet";
  return op->emitOpError() << "has '" << name << "', which is not an attribute of schedules";
}

LogicalResult SchedDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned argIndex,
                                                     NamedAttribute attribute) {
  return op->emitOpError() << "argument " << argIndex << " has '" << attribute.getName().strref()
                           << "', but schedules belong on ops";
}
