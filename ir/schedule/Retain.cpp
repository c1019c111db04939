// See Retain.h.
#include "ir/schedule/Retain.h"
#include "ir/schedule/Allocate.h"
#include "ir/schedule/LoopHazards.h"
#include "ir/schedule/Rereads.h"
#include "ir/schedule/ScheduleOps.h"
#include "ir/schedule/SharedDemand.h"
#include "ir/tile/Remarks.h"
#include "ir/tile/TileUtils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;
using namespace tilerun::distribute;

//===----------------------------------------------------------------------===//
// How much
//===----------------------------------------------------------------------===//

unsigned schedule::countRetainingPrograms(const target::TargetInfo &target, unsigned threads,
                                          bool reduces) {
  // Twice as many would leave each too little.
  constexpr unsigned kMostPrograms = 2;
  return reduces ? std::clamp(target.unitThreads / 2 / threads, 1u, kMostPrograms) : 1;
}

int64_t schedule::getCachedBytes(const target::TargetInfo &target, unsigned programs) {
  return int64_t(target.unitCacheBytes) / 2 / programs;
}

int64_t schedule::getRetainedBytes(func::FuncOp kernel) {
  int64_t bytes = 0;
  kernel.walk([&](RetainedOp op) { bytes += op.getKept().getType().getBytes(); });
  return bytes;
}

std::optional<unsigned> schedule::countByRetained(func::FuncOp kernel,
                                                  const target::TargetInfo &target) {
  const int64_t bytes = getRetainedBytes(kernel);
  if (!bytes)
    return std::nullopt;
  return unsigned(std::max<int64_t>(target.budget().total() / bytes, 1));
}

//===----------------------------------------------------------------------===//
// What may be retained
//===----------------------------------------------------------------------===//

/// Whether no two iterations access one element: each steps over as many as its tile spans.
static bool areApart(const AffineForm &form, AffineForms &forms, RankedTensorType type) {
  std::optional<int64_t> perIteration;
  for (const auto &[product, factor] : form.uniform.getTerms())
    for (unsigned number : product)
      if (!forms.getSymbol(number)) {
        if (perIteration || product.size() != 1)
          return false;
        perIteration = factor;
      }
  int64_t span = 1;
  for (auto [stride, size] : llvm::zip_equal(form.strides, type.getShape())) {
    std::optional<int64_t> number = stride.getConstant();
    if (!number)
      return false;
    span += std::abs(*number) * (size - 1);
  }
  return perIteration && std::abs(*perIteration) >= span;
}

/// Whether `store`, in the loop of the last reading and behind it, is to the addresses of its
/// iteration alone.
static bool storesWhatIsRead(tile::StoreOp store, const Rereading &again) {
  Rereading::Read read = again.reads.back();
  if (store->getBlock() != read.load->getBlock() || !read.load->isBeforeInBlock(store))
    return false;
  std::optional<AffineForm> form = read.of->forms.get(store.getPtr());
  const AffineForm &loaded = read.of->getForm(read.load);
  return form && accessSame(loaded, read.of->forms, *form, read.of->forms) &&
         areApart(loaded, read.of->forms, cast<RankedTensorType>(read.load.getType()));
}

/// Whether `op` may change what is read again.
static bool mayWrite(Operation *op, const Rereading &again, const llvm::SetVector<Value> &roots) {
  if (auto store = dyn_cast<tile::StoreOp>(op)) {
    llvm::SetVector<Value> written;
    if (!addRoots(store.getPtr(), written))
      return true;
    return llvm::any_of(written, [&](Value root) { return roots.contains(root); }) &&
           !storesWhatIsRead(store, again);
  }
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return tile::isObserving(load);
  return !isa<tile::AssumeOp, tile::PrintOp>(op) && !isMemoryEffectFree(op) &&
         !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
}

/// An op from the first loop to the last one that may change what is read again from `roots`; or
/// null.
static Operation *findWrite(const Rereading &again, const llvm::SetVector<Value> &roots) {
  Operation *first = again.first().of->loop, *last = again.reads.back().of->loop;
  Operation *found = nullptr;
  for (Operation *op = first; op != last->getNextNode() && !found; op = op->getNextNode())
    op->walk([&](Operation *inner) {
      if (!mayWrite(inner, again, roots))
        return WalkResult::advance();
      found = inner;
      return WalkResult::interrupt();
    });
  return found;
}

/// Whether all readings give the same registers.
static bool giveSame(const Rereading &again, const LayoutAssignment &layouts) {
  Rereading::Read first = again.first();
  const LinearLayout *home = layouts.getHome(first.load.getResult());
  Type element = getElementTypeOrSelf(first.load.getType());
  return home && element.isIntOrFloat() && element.getIntOrFloatBitWidth() % 8 == 0 &&
         llvm::all_of(llvm::drop_begin(again.reads), [&](Rereading::Read read) {
           return read.of != first.of && layouts.getHome(read.load.getResult()) == home &&
                  areSame(first.load.getMask(), first.of->loop, read.load.getMask(),
                          read.of->loop) &&
                  areSame(first.load.getOther(), first.of->loop, read.load.getOther(),
                          read.of->loop);
         });
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

namespace {
/// Loops with the same bounds, and what they read again.
struct Group {
  SmallVector<const Rereading *> readings;
  SmallVector<scf::ForOp> loops; ///< In order.
  int64_t slotBytes = 0;         ///< Of one iteration.
  int64_t slots = 0;

  void add(scf::ForOp loop);
  bool reduces() const {
    return llvm::any_of(loops, [](scf::ForOp loop) {
      return loop->walk([](tile::ReduceOp) { return WalkResult::interrupt(); }).wasInterrupted();
    });
  }
};

class Retainer {
public:
  Retainer(func::FuncOp kernel, const LayoutAssignment &layouts, Choice choice)
      : kernel(kernel), layouts(layouts), target(layouts.target()), choice(choice),
        threads(layouts.numWarps() * target.warpSize) {}
  LogicalResult run();

private:
  bool mayRetain();
  std::vector<Group> findGroups(const Rereads &rereads);
  RetainedType getType(const Rereading &again, int64_t slots);
  /// Decides whether the group's rows are, or may be, too long for the cache; in the latter case
  /// the kernel gets what it prefers.
  bool choose(Group &group);
  std::optional<PrefersAttr> makePreference(scf::ForOp loop, int64_t iterations);
  void chooseSlots(Group &group, int64_t room) const;
  void apply(Group &group);

  func::FuncOp kernel;
  const LayoutAssignment &layouts;
  const target::TargetInfo &target;
  Choice choice;
  unsigned threads;
};
} // namespace

/// How often the loop runs, where that is known.
static std::optional<int64_t> getIterations(scf::ForOp loop) {
  std::optional<APInt> count = loop.getStaticTripCount();
  return count ? std::optional(count->getSExtValue()) : std::nullopt;
}

bool Retainer::mayRetain() {
  constexpr unsigned kLeastShare = 4;
  const bool runsAhead =
      kernel
          .walk([](scf::ForOp loop) {
            return getPipeline(loop) ? WalkResult::interrupt() : WalkResult::advance();
          })
          .wasInterrupted();
  if (runsAhead || choice == Choice::Off)
    return false;
  return choice == Choice::On || (target.unitCacheBytes && target.unitThreads &&
                                  threads * kLeastShare >= target.unitThreads);
}

RetainedType Retainer::getType(const Rereading &again, int64_t slots) {
  Value tile = again.first().load.getResult();
  return RetainedType::get(kernel.getContext(), slots, cast<RankedTensorType>(tile.getType()),
                           LayoutAttr::get(kernel.getContext(), *layouts.getHome(tile)));
}

void Group::add(scf::ForOp loop) {
  if (!llvm::is_contained(loops, loop))
    loops.insert(
        llvm::find_if(loops, [&](scf::ForOp other) { return loop->isBeforeInBlock(other); }), loop);
}

std::vector<Group> Retainer::findGroups(const Rereads &rereads) {
  std::vector<Group> groups;
  for (const Rereading &again : rereads.get()) {
    scf::ForOp loop = again.first().of->loop;
    // 64 bits hold all that is computed from the bounds.
    if (!giveSame(again, layouts) || loop.getUnsignedCmp() ||
        !loop.getInductionVar().getType().isInteger(32))
      continue;
    llvm::SetVector<Value> roots;
    if (!addRoots(again.first().load.getPtr(), roots)) {
      emitRemark(again.first().load, RemarkName::TileNotRetained,
                 "where this load reads is not known, so that any store may change it");
      continue;
    }
    if (Operation *write = findWrite(again, roots)) {
      emitRemark(again.first().load, RemarkName::TileNotRetained,
                 "a '" + write->getName().getStringRef() + "'" + describeLine(write->getLoc()) +
                     " may change what is loaded here before it is read again");
      continue;
    }
    auto group = llvm::find_if(groups, [&](Group &group) {
      return group.loops.front()->getBlock() == loop->getBlock() &&
             haveSameBounds(group.loops.front(), loop);
    });
    if (group == groups.end())
      group = groups.emplace(groups.end());
    group->readings.push_back(&again);
    group->slotBytes += getType(again, 1).getSlotBytes();
    for (Rereading::Read read : again.reads)
      group->add(read.of->loop);
  }
  return groups;
}

/// Launches in which the loop runs so many times and more; nullopt: that does not follow from the
/// arguments.
std::optional<PrefersAttr> Retainer::makePreference(scf::ForOp loop, int64_t iterations) {
  AffineForms forms(loop);
  std::optional<AffineForm> from = forms.get(loop.getLowerBound()),
                            to = forms.get(loop.getUpperBound());
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!from || !to || from->base || to->base || !step)
    return std::nullopt;
  const Polynomial number =
      to->uniform - from->uniform - Polynomial::constant((iterations - 1) * *step + 1);
  llvm::SetVector<unsigned> arguments;
  std::optional<AffineExpr> expr =
      toExpr(number, kernel.getContext(), arguments,
             [&](unsigned symbol) { return argumentOf(forms.getSymbol(symbol)); });
  if (!expr)
    return std::nullopt;
  Builder b(kernel.getContext());
  return PrefersAttr::get(
      kernel.getContext(),
      b.getDenseI32ArrayAttr(SmallVector<int32_t>(arguments.begin(), arguments.end())),
      AffineMapAttr::get(AffineMap::get(0, arguments.size(), *expr)));
}

bool Retainer::choose(Group &group) {
  if (choice == Choice::On)
    return true;
  const unsigned programs = countRetainingPrograms(target, threads, group.reduces());
  const int64_t least = llvm::divideCeil(getCachedBytes(target, programs), group.slotBytes);
  scf::ForOp loop = group.loops.front();
  if (std::optional<int64_t> known = getIterations(loop))
    return *known >= least;
  std::optional<PrefersAttr> preference = makePreference(loop, least);
  if (!preference || kernel->hasAttr(SchedDialect::kPrefers))
    return false;
  kernel->setAttr(SchedDialect::kPrefers, *preference);
  return true;
}

void Retainer::chooseSlots(Group &group, int64_t room) const {
  group.slots = std::max<int64_t>(room / group.slotBytes, 0);
  if (std::optional<int64_t> known = getIterations(group.loops.front()))
    group.slots = std::min(group.slots, *known);
}

/// Where the iterations end that have a slot. 64 bits hold all that is between.
static Value makeMiddle(ImplicitLocOpBuilder &b, scf::ForOp loop, int64_t slots) {
  Type wide = b.getI64Type();
  auto extend = [&](Value value) { return b.createOrFold<arith::ExtSIOp>(wide, value); };
  std::optional<int64_t> from = getConstantIntValue(loop.getLowerBound()),
                         step = getConstantIntValue(loop.getStep());
  Value last;
  if (from && step)
    last = arith::ConstantIntOp::create(b, wide, *from + *step * slots);
  else
    last =
        arith::AddIOp::create(b, extend(loop.getLowerBound()),
                              arith::MulIOp::create(b, extend(loop.getStep()),
                                                    arith::ConstantIntOp::create(b, wide, slots)));
  Value middle = b.createOrFold<arith::MinSIOp>(extend(loop.getUpperBound()), last);
  return b.createOrFold<arith::TruncIOp>(b.getI32Type(), middle);
}

/// The slot of the iteration: how many came before.
static Value makeSlot(ImplicitLocOpBuilder &b, scf::ForOp loop) {
  Value since = b.createOrFold<arith::SubIOp>(loop.getInductionVar(), loop.getLowerBound());
  return arith::DivUIOp::create(b, since, loop.getStep());
}

/// The loop up to `middle`, before the rest of it.
static scf::ForOp splitLoop(scf::ForOp loop, Value middle, IRMapping &map) {
  OpBuilder b(loop);
  auto early = cast<scf::ForOp>(b.clone(*loop, map));
  early.setUpperBound(middle);
  loop.setLowerBound(middle);
  loop.getInitArgsMutable().assign(early.getResults());
  return early;
}

void Retainer::apply(Group &group) {
  ImplicitLocOpBuilder b(group.loops.front().getLoc(), group.loops.front());
  Value middle = makeMiddle(b, group.loops.front(), group.slots);
  SmallVector<Value> kept;
  for (const Rereading *again : group.readings)
    kept.push_back(
        RetainedOp::create(b, again->first().load.getLoc(), getType(*again, group.slots)));
  for (scf::ForOp loop : group.loops) {
    IRMapping map;
    scf::ForOp early = splitLoop(loop, middle, map);
    for (auto [again, slots] : llvm::zip(group.readings, kept))
      for (Rereading::Read read : again->reads) {
        if (read.of->loop != loop)
          continue;
        auto load = cast<tile::LoadOp>(map.lookup(read.load.getResult()).getDefiningOp());
        ImplicitLocOpBuilder in(load.getLoc(), load);
        Value slot = makeSlot(in, early);
        if (read.load == again->first().load) {
          // Nobody will read it from the cache again.
          load.setEvict(again->last().getEvict());
          in.setInsertionPointAfter(load);
          RetainOp::create(in, load.getResult(), slots, slot);
        } else {
          auto recall = RecallOp::create(in, load.getType(), slots, slot);
          recall->setAttr(DistributeDialect::kHomesAttr,
                          load->getAttr(DistributeDialect::kHomesAttr));
          load.replaceAllUsesWith(recall.getTile());
          load.erase();
        }
      }
  }
}

LogicalResult Retainer::run() {
  if (!mayRetain())
    return success();
  Rereads rereads(kernel);
  std::vector<Group> groups = findGroups(rereads);
  int64_t used = SharedDemand(kernel, layouts).within(kernel);
  bool anything = false;
  for (Group &group : groups) {
    const unsigned programs = countRetainingPrograms(target, threads, group.reduces());
    chooseSlots(group, target.budget().forProgramOf(programs) - used);
    if (group.slots == 0) {
      emitRemark(group.readings.front()->first().load, RemarkName::TileNotRetained,
                 "one iteration's tiles have " + Twine(group.slotBytes) +
                     " bytes, for which shared memory has no room");
      continue;
    }
    if (!choose(group))
      continue;
    emitRemark(group.readings.front()->first().load, RemarkName::TileRetained,
               "what " + Twine(group.slots) +
                   (group.slots == 1 ? " iteration loads" : " iterations load") +
                   " here stays in shared memory until later loops read it again",
               /*isMissed=*/false);
    apply(group);
    used += group.slots * group.slotBytes;
    anything = true;
  }
  if (!anything)
    return success();
  dropAllocation(kernel);
  return allocateSlots(kernel, layouts);
}

LogicalResult schedule::retainTiles(func::FuncOp kernel, const LayoutAssignment &layouts,
                                    Choice choice) {
  return Retainer(kernel, layouts, choice).run();
}
