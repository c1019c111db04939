// See Persistence.h.
#include "ir/schedule/Persistence.h"
#include "ir/schedule/RoleRules.h"
#include "ir/schedule/ScheduleOps.h"
#include "ir/tile/Remarks.h"
#include "ir/tile/TileUtils.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;
using namespace tilerun::distribute;

//===----------------------------------------------------------------------===//
// Which kernels
//===----------------------------------------------------------------------===//

/// An op through which programs could wait for each other or observe their order, as assembly does
/// that reads the number of the launched program.
static Operation *findOrder(func::FuncOp kernel) {
  Operation *found = nullptr;
  kernel.walk([&](Operation *op) {
    auto load = dyn_cast<tile::LoadOp>(op);
    bool isPlain = load && !tile::isObserving(load);
    if (op == kernel || isPlain || isa<tile::StoreOp, tile::AssumeOp>(op) ||
        op->hasTrait<OpTrait::IsTerminator>() ||
        (!isa<scf::WhileOp, tile::InlineAsmOp>(op) &&
         (isMemoryEffectFree(op) || op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())))
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

bool schedule::dependsOnProgram(scf::ForOp loop) {
  return tile::dependsOn({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()},
                         llvm::IsaPred<tile::ProgramIdOp>);
}

/// Why Choice::Auto does not make a possible kernel persistent.
static std::optional<Refusal> findCost(ArrayRef<scf::ForOp> loops,
                                       const LayoutAssignment &layouts) {
  if (!getRegisters(getProducers(loops.front()), layouts).consumer)
    return Refusal{loops.front(),
                   "more than one program may fit on a unit, and one of them computes "
                   "while another one begins or ends"};
  // A cluster's multiprocessors are in one group of neighbours, whose size may not be a multiple.
  if (tile::getBlocks(loops.front()->getParentOfType<func::FuncOp>()) > 2)
    return Refusal{loops.front(), "programs of more than two blocks may leave units idle, and one "
                                  "that does not run at once would come after all others"};
  for (scf::ForOp loop : loops) {
    if (dependsOnProgram(loop))
      return Refusal{loop, "programs differ in length, and a unit that is done with a short one "
                           "takes the next one"};
    for (auto dot : loop.getBody()->getOps<tile::DotOp>())
      if (!isDeferred(dot))
        return Refusal{dot, "threads compute between products, so that programs end at different "
                            "times, and a unit that is free takes the next one"};
  }
  return std::nullopt;
}

static std::optional<Refusal> findOrderFault(func::FuncOp kernel, ArrayRef<scf::ForOp> loops) {
  for (scf::ForOp loop : loops)
    if (getPipeline(loop).getCopies() != CopyKind::Boxes)
      return Refusal{loop, "its producer does not copy boxes"};
  if (Operation *op = findOrder(kernel))
    return Refusal{op, "this '" + op->getName().getStringRef().str() +
                           "' may depend on the order in which programs run"};
  return std::nullopt;
}

void schedule::choosePersistence(func::FuncOp kernel, const LayoutAssignment &layouts,
                                 Choice choice) {
  SmallVector<scf::ForOp> loops = findRoleLoops(kernel);
  if (choice == Choice::Off || loops.empty())
    return;
  std::optional<Refusal> refusal = findOrderFault(kernel, loops);
  if (!refusal && choice == Choice::Auto)
    refusal = findCost(loops, layouts);
  if (refusal)
    return emitRemark(refusal->op, RemarkName::KernelNotPersistent,
                      "each program is launched by itself: " + refusal->why);
  kernel->setAttr(SchedDialect::kPersistent, UnitAttr::get(kernel.getContext()));
  emitRemark(
      loops.front(), RemarkName::KernelPersistent,
      "as many programs are launched as run at a time, and their producers copy for the next "
      "tile while the last one is stored",
      /*isMissed=*/false);
}

//===----------------------------------------------------------------------===//
// The loop over programs
//===----------------------------------------------------------------------===//

Block *schedule::openPrograms(OpBuilder &b, Block *block, MutableArrayRef<Value> cursors) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(block);
  Location loc = block->getParentOp()->getLoc();
  Type i32 = b.getI32Type();
  auto programs = ProgramsOp::create(b, loc, i32, i32, i32);
  Value zero = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
  SmallVector<Value> inits(cursors.size(), zero);
  auto loop =
      scf::ForOp::create(b, loc, programs.getFirst(), programs.getEnd(), programs.getStep(), inits);
  Block *body = loop.getBody();
  if (body->mightHaveTerminator())
    body->getTerminator()->erase();
  SmallVector<Attribute> homes(cursors.size(), b.getUnitAttr());
  loop->setAttr(DistributeDialect::kHomesAttr, b.getArrayAttr(homes));
  homes.push_back(b.getUnitAttr());
  loop->setAttr(DistributeDialect::kArgumentsAttr, b.getArrayAttr(homes));
  llvm::copy(loop.getRegionIterArgs(), cursors.begin());
  return body;
}

/// The caller's numbers of program `number` along the axes up to `last`; the first one changes
/// fastest.
static SmallVector<Value, 3> getNumbers(ImplicitLocOpBuilder &b, Value number, unsigned last) {
  constexpr unsigned kAxes = 3;
  SmallVector<Value, 3> numbers;
  for (unsigned axis = 0; axis <= last; ++axis) {
    if (axis + 1 == kAxes) {
      numbers.push_back(number);
      break;
    }
    Value size = tile::NumProgramsOp::create(b, axis);
    numbers.push_back(arith::RemUIOp::create(b, number, size));
    if (axis < last)
      number = arith::DivUIOp::create(b, number, size);
  }
  return numbers;
}

void schedule::closePrograms(Block *body, ValueRange cursors) {
  auto loop = cast<scf::ForOp>(body->getParentOp());
  SmallVector<tile::ProgramIdOp> ids;
  unsigned last = 0;
  body->walk([&](tile::ProgramIdOp id) {
    ids.push_back(id);
    last = std::max(last, unsigned(id.getAxis()));
  });
  ImplicitLocOpBuilder b(loop.getLoc(), OpBuilder::atBlockBegin(body));
  if (!ids.empty()) {
    SmallVector<Value, 3> numbers = getNumbers(b, loop.getInductionVar(), last);
    for (tile::ProgramIdOp id : ids) {
      id.replaceAllUsesWith(numbers[id.getAxis()]);
      id.erase();
    }
  }
  b.setInsertionPointToEnd(body);
  scf::YieldOp::create(b, cursors);
}
