// See Evictions.h.
#include "ir/schedule/Evictions.h"
#include "ir/schedule/LoopHazards.h"
#include "ir/schedule/Rereads.h"
#include "ir/tile/Remarks.h"
#include "ir/tile/TileUtils.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;

static bool hasOwnPolicy(tile::LoadOp load) {
  return load.getEvict() != tile::EvictionPolicy::Normal;
}

//===----------------------------------------------------------------------===//
// Whose data
//===----------------------------------------------------------------------===//

namespace {
/// What an address is computed from: axes of program ids, and loops whose iterations have others.
struct Origins {
  llvm::SmallDenseSet<unsigned> axes;
  llvm::SmallPtrSet<Operation *, 4> loops;

  void add(Value scalar);
};
} // namespace

void Origins::add(Value scalar) {
  SmallVector<Value> work{scalar};
  llvm::SmallDenseSet<Value> seen;
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (!next || !seen.insert(next).second)
      continue;
    Operation *op = next.getDefiningOp();
    if (auto id = next.getDefiningOp<tile::ProgramIdOp>()) {
      axes.insert(unsigned(id.getAxis()));
    } else if (auto argument = dyn_cast<BlockArgument>(next)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      if (!loop)
        continue;
      loops.insert(loop);
      if (argument == loop.getInductionVar())
        work.append({loop.getLowerBound(), loop.getStep()});
      else
        work.push_back(loop.getInitArgs()[argument.getArgNumber() - 1]);
    } else if (!tile::isDivision(op)) { // Several programs may have one quotient.
      work.append(op->operand_begin(), op->operand_end());
    }
  }
}

static Origins originsOf(const AffineForm &form, const AffineForms &forms) {
  Origins origins;
  origins.add(form.base);
  for (const auto &[product, factor] : form.uniform.getTerms())
    for (unsigned number : product)
      origins.add(forms.getSymbol(number));
  return origins;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

namespace {
class Evictions {
public:
  Evictions(func::FuncOp kernel, Choice choice);
  void run(const Rereads &rereads);

private:
  /// Whether what is read once more by `last` is hardly read again after that.
  bool mayGo(const AffineForm &form, const AffineForms &forms, ArrayRef<tile::LoadOp> readings);
  /// Whether the kernel loads from a place that `pointers` may point to, behind `after`; null:
  /// anywhere.
  bool isLoaded(Value pointers, Operation *after, ArrayRef<tile::LoadOp> but = {});
  void setPolicies(ArrayRef<tile::LoadOp> readings);

  Choice choice;
  llvm::SmallDenseSet<unsigned> axes;
  llvm::DenseMap<Operation *, unsigned> order; ///< Of loads.
  SmallVector<tile::LoadOp> loads;
};
} // namespace

Evictions::Evictions(func::FuncOp kernel, Choice choice) : choice(choice) {
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto id = dyn_cast<tile::ProgramIdOp>(op))
      axes.insert(unsigned(id.getAxis()));
    if (auto load = dyn_cast<tile::LoadOp>(op)) {
      order[load] = order.size();
      loads.push_back(load);
    }
  });
}

bool Evictions::isLoaded(Value pointers, Operation *after, ArrayRef<tile::LoadOp> but) {
  llvm::SetVector<Value> roots;
  if (!addRoots(pointers, roots))
    return true;
  return llvm::any_of(loads, [&](tile::LoadOp load) {
    if ((after && order[load] <= order[after]) || llvm::is_contained(but, load))
      return false;
    llvm::SetVector<Value> others;
    return !addRoots(load.getPtr(), others) ||
           llvm::any_of(others, [&](Value root) { return roots.contains(root); });
  });
}

bool Evictions::mayGo(const AffineForm &form, const AffineForms &forms,
                      ArrayRef<tile::LoadOp> readings) {
  tile::LoadOp last = readings.back();
  if (isLoaded(last.getPtr(), last, readings))
    return false;
  if (choice == Choice::On)
    return true;
  const Origins origins = originsOf(form, forms);
  if (axes.empty() ||
      !llvm::all_of(axes, [&](unsigned axis) { return origins.axes.contains(axis); }))
    return false;
  for (Operation *around = last->getParentOp()->getParentOp(); !isa<func::FuncOp>(around);
       around = around->getParentOp())
    if (isa<LoopLikeOpInterface>(around) && !origins.loops.contains(around))
      return false;
  return true;
}

void Evictions::setPolicies(ArrayRef<tile::LoadOp> readings) {
  for (tile::LoadOp load : readings.drop_back())
    load.setEvict(tile::EvictionPolicy::Last);
  tile::LoadOp last = readings.back();
  last.setEvict(tile::EvictionPolicy::First);
  // The last loop's writes would take the place of rows that other programs will read again.
  for (auto store : last->getBlock()->getOps<tile::StoreOp>())
    if (isa<RankedTensorType>(store.getValue().getType()) &&
        store.getCache() == tile::CacheModifier::None &&
        store.getEvict() == tile::EvictionPolicy::Normal &&
        !isLoaded(store.getPtr(), /*after=*/nullptr))
      store.setEvict(tile::EvictionPolicy::First);
  emitRemark(readings.front(), RemarkName::ReadKeptInCache,
             "a loop behind this one reads the same again, which is kept in the cache until then",
             /*isMissed=*/false);
}

void Evictions::run(const Rereads &rereads) {
  for (const Rereading &again : rereads.get()) {
    SmallVector<tile::LoadOp> readings = again.getLoads();
    llvm::erase_if(readings, hasOwnPolicy);
    Rereading::Read first = again.first();
    if (readings.size() > 1 && mayGo(first.of->getForm(first.load), first.of->forms, readings))
      setPolicies(readings);
  }
}

void schedule::chooseEvictions(func::FuncOp kernel, const target::TargetInfo &target,
                               Choice choice) {
  if (target.hasEvictionPolicies && choice != Choice::Off)
    Evictions(kernel, choice).run(Rereads(kernel));
}
