// See RoleRules.h.
#include "ir/schedule/RoleRules.h"
#include "ir/schedule/Boxes.h"
#include "ir/schedule/LateProducts.h"
#include "ir/schedule/ScheduleOps.h"
#include "ir/tile/Remarks.h"
#include "ir/tile/TileUtils.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;
using namespace tilerun::distribute;

//===----------------------------------------------------------------------===//
// What the producer computes
//===----------------------------------------------------------------------===//

/// Whether both roles may execute `op`. Products do not feed addresses; two of them would be waste.
static bool mayBeTwice(Operation *op) {
  return isMemoryEffectFree(op) &&
         !op->walk([](tile::DotOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

Operation *schedule::findBefore(scf::ForOp loop, const LoopSlice &slice, OpsBefore &before) {
  Block *block = loop->getBlock();
  SmallVector<Value> work{loop.getLowerBound(), loop.getUpperBound(), loop.getStep()};
  for (unsigned index : slice.carried) {
    work.push_back(loop.getInitArgs()[index]);
    work.push_back(loop.getYieldedValues()[index]);
  }
  std::optional<BoxFinder> boxes;
  for (auto load : loop.getBody()->getOps<tile::LoadOp>()) {
    if (!getRing(load))
      continue;
    if (load->hasAttr(SchedDialect::kBox)) {
      if (!boxes)
        boxes.emplace(loop);
      llvm::SetVector<Value> scalars;
      // A load that is not the box that it says is refused with the loop's other ones (RingRules).
      if (std::optional<Box> box = boxes->find(load))
        boxes->addScalars(*box, scalars);
      work.append(scalars.begin(), scalars.end());
      continue;
    }
    work.push_back(load.getPtr());
    if (load.getMask())
      work.push_back(load.getMask());
  }
  for (Operation *op : slice.ops)
    work.append(op->operand_begin(), op->operand_end());
  OpsBefore found;
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op || op->getBlock() != block || found.contains(op))
      continue;
    if (!mayBeTwice(op))
      return op;
    found.insert(op);
    op->walk([&](Operation *inner) { work.append(inner->operand_begin(), inner->operand_end()); });
  }
  SmallVector<Operation *> sorted(found.begin(), found.end());
  llvm::sort(sorted, [](Operation *x, Operation *y) { return x->isBeforeInBlock(y); });
  before.insert(sorted.begin(), sorted.end());
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// Warps that run at a time, and whose registers are one pool.
static constexpr unsigned kGroupWarps = 4;

unsigned schedule::getBoxProducers(const LayoutAssignment &layouts) {
  // A fifth warp takes no registers from four that may have all of them.
  bool isPressed = layouts.target().roleRegisters && layouts.numWarps() > kGroupWarps;
  return isPressed && layouts.numWarps() % kGroupWarps == 0 ? kGroupWarps : 1;
}

RoleRegisters schedule::getRegisters(unsigned producers, const LayoutAssignment &layouts) {
  // The hardware's: in steps of 8, from 24 on, and no thread has more than 255.
  constexpr unsigned kStep = 8, kLeast = 24, kMost = 240;
  unsigned pool = layouts.target().roleRegisters, groups = layouts.numWarps() / kGroupWarps;
  if (!pool || producers != kGroupWarps || layouts.numWarps() % kGroupWarps)
    return {};
  unsigned own = pool / (groups + 1) / kStep * kStep;
  unsigned left = (own * (groups + 1) - kLeast) / groups / kStep * kStep;
  if (own <= kLeast || left <= own)
    return {};
  return {kLeast, std::min(left, kMost)};
}

std::string schedule::findRoleFault(unsigned producers, CopyKind copies,
                                    const LayoutAssignment &layouts) {
  const target::TargetInfo &target = layouts.target();
  auto number = [](uint64_t value) { return std::to_string(value); };
  if (!target.hasRoles || !target.hasShuffle || !target.hasAsyncCopy)
    return target.name + " has none: they need phase barriers, barriers of some of the warps, and "
                         "asynchronous copies";
  if (copies == CopyKind::Boxes && producers != 1 && producers != kGroupWarps)
    return "a producer of boxes has 1 warp, of which one thread starts the copies, or " +
           number(kGroupWarps) + ", which give up registers together, not " + number(producers);
  if (copies == CopyKind::Chunks && producers != layouts.numWarps())
    return "a producer has as many warps as the consumer, whose layouts it copies tiles in: " +
           number(layouts.numWarps()) + ", not " + number(producers);
  uint64_t threads = uint64_t(layouts.numWarps() + producers) * target.warpSize;
  if (threads > target.maxThreads)
    return "the kernel would run in " + number(threads) + " threads, and " + target.name +
           " allows " + number(target.maxThreads) + " in a program";
  return "";
}

/// An op that a kernel with roles cannot have.
static Operation *findForbidden(func::FuncOp kernel) {
  Operation *found = nullptr;
  kernel.walk([&](Operation *op) {
    if (!isa<tile::PrintOp, tile::AssertOp, tile::GridDependencyOp>(op))
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

/// An op before the loop that others' loads must come after. The producer waits for nothing there.
static Operation *findEffect(scf::ForOp loop) {
  Operation *found = nullptr;
  for (Operation &op : *loop->getBlock()) {
    if (&op == loop)
      break;
    op.walk([&](Operation *inner) {
      auto load = dyn_cast<tile::LoadOp>(inner);
      bool isPlain = load && !tile::isObserving(load);
      if (isPlain || isa<tile::AssumeOp, StoreBufferOp>(inner) || isMemoryEffectFree(inner) ||
          inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
        return WalkResult::advance();
      found = inner;
      return WalkResult::interrupt();
    });
    if (found)
      break;
  }
  return found;
}

std::optional<Refusal> schedule::findRoleFault(scf::ForOp loop) {
  auto kernel = dyn_cast<func::FuncOp>(loop->getParentOp());
  if (!kernel)
    return Refusal{loop->getParentOp(),
                   "the loop is inside of another op; one that has roles is in the kernel's block"};
  auto name = [](Operation *op) {
    return "'" + op->getName().getStringRef().str() + "'" + describeLine(op->getLoc());
  };
  if (scf::ForOp first = findRoleLoop(kernel); first && first != loop)
    if (std::optional<Refusal> fault = findSharingFault(first, loop))
      return fault;
  if (Operation *op = findForbidden(kernel))
    return Refusal{op, "the kernel has a " + name(op) + ", which roles cannot have"};
  if (Operation *op = findEffect(loop))
    return Refusal{op, "this " + name(op) +
                           " before the loop may have to come before the loads, "
                           "and the producer does not wait for it"};
  LoopSlice slice;
  for (auto load : loop.getBody()->getOps<tile::LoadOp>())
    if (getRing(load) && !load->hasAttr(SchedDialect::kBox))
      if (Operation *op = slice.add(loop, load))
        return Refusal{op, "addresses depend on this " + name(op) +
                               ", which the producer cannot compute"};
  OpsBefore before;
  if (Operation *op = findBefore(loop, slice, before))
    return Refusal{op, "bounds or addresses depend on this " + name(op) +
                           ", which the producer cannot compute"};
  // Layouts are those of the consumer's warps, and a producer of boxes has fewer.
  const bool isBoxes = llvm::any_of(loop.getBody()->getOps<tile::LoadOp>(), [](tile::LoadOp load) {
    return load->hasAttr(SchedDialect::kBox);
  });
  if (isBoxes)
    for (Operation *op : before)
      if (llvm::any_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>))
        return Refusal{op, "bounds or addresses depend on this " + name(op) +
                               " of a tensor, which takes all warps of the program"};
  return std::nullopt;
}

SmallVector<scf::ForOp> schedule::findRoleLoops(func::FuncOp kernel) {
  SmallVector<scf::ForOp> loops;
  kernel.walk([&](scf::ForOp loop) {
    if (hasRoles(loop))
      loops.push_back(loop);
  });
  return loops;
}

scf::ForOp schedule::findRoleLoop(func::FuncOp kernel) {
  SmallVector<scf::ForOp> loops = findRoleLoops(kernel);
  return loops.empty() ? scf::ForOp() : loops.front();
}

std::optional<Refusal> schedule::findSharingFault(scf::ForOp first, scf::ForOp loop) {
  auto refuse = [&](const Twine &why) {
    return Refusal{first,
                   "another loop has roles" + describeLine(first.getLoc()) + ", and " + why.str()};
  };
  if (first->getBlock() != loop->getBlock() || !first->isBeforeInBlock(loop))
    return refuse("this one does not follow it in the same block");
  if (getPipeline(first) != getPipeline(loop) || getPipeline(first).getCopies() != CopyKind::Boxes)
    return refuse("rings of several loops are copied to as boxes, into as many slots");
  if (hasRoles(loop) && getProducers(first) != getProducers(loop))
    return refuse("its producer has other warps");
  auto ringsOf = [](scf::ForOp each) {
    SmallVector<std::tuple<Type, RingAttr, bool>> rings;
    for (auto load : each.getBody()->getOps<tile::LoadOp>())
      if (RingAttr ring = getRing(load))
        rings.push_back({load.getType(), ring, isOfLateProduct(load)});
    return rings;
  };
  auto hasDeferred = [](scf::ForOp each) {
    return llvm::any_of(each.getBody()->getOps<tile::DotOp>(), isDeferred);
  };
  if (hasDeferred(first) || hasDeferred(loop))
    return refuse("products that run on into the next iteration hold its last slot");
  if (ringsOf(first) != ringsOf(loop) || hasLateProducts(first) != hasLateProducts(loop))
    return refuse("its tiles, or the products that read them, are others");
  return std::nullopt;
}

int64_t schedule::ringBytesOf(scf::ForOp loop, int64_t slots, const target::TargetInfo &target) {
  // As if it were expanded.
  MLIRContext *context = loop.getContext();
  int64_t bytes = 0;
  for (auto load : loop.getBody()->getOps<tile::LoadOp>())
    if (RingAttr ring = getRing(load))
      bytes += alignedBytes(sharedBytesOf(RingType::get(
                                context, slots, cast<RankedTensorType>(load.getType()), ring)),
                            target);
  unsigned producers = getProducers(loop);
  auto channel = ChannelType::get(context, slots, getPipeline(loop).getCopies(), producers,
                                  /*consumers=*/producers);
  // Phase barriers are there before the rings are used, and lie below them.
  int64_t channels = hasLateProducts(loop) ? 2 : 1;
  return bytes + channels * alignedBytes(sharedBytesOf(channel), target);
}

int64_t schedule::ringBytesOf(scf::ForOp loop, const target::TargetInfo &target) {
  return ringBytesOf(loop, getPipeline(loop).getSlots(), target);
}

int64_t schedule::ringBytesIn(scf::ForOp loop, const target::TargetInfo &target) {
  int64_t rings = 0;
  for (scf::ForOp around = loop; around; around = around->getParentOfType<scf::ForOp>())
    if (getPipeline(around) && !hasRoles(around))
      rings += ringBytesOf(around, target);
  if (scf::ForOp roles = findRoleLoop(loop->getParentOfType<func::FuncOp>()))
    rings += ringBytesOf(roles, target);
  return rings;
}
