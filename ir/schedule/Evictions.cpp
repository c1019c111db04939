// See Evictions.h.
#include "ir/schedule/Evictions.h"
#include "ir/analysis/AffineForm.h"
#include "ir/schedule/LoopHazards.h"
#include "ir/schedule/ScheduleDialect.h"
#include "ir/tile/Remarks.h"
#include "ir/tile/TileUtils.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;

namespace {

/// A loop's loads whose policy may be chosen, and their addresses.
struct LoopReads {
  scf::ForOp loop;
  AffineForms forms;
  std::vector<std::pair<tile::LoadOp, AffineForm>> reads;

  explicit LoopReads(scf::ForOp loop);
};

} // namespace

static bool mayChoosePolicy(tile::LoadOp load) {
  return isa<RankedTensorType>(load.getType()) && !load.getIsVolatile() &&
         load.getCache() == tile::CacheModifier::None &&
         load.getEvict() == tile::EvictionPolicy::Normal && !getRing(load);
}

LoopReads::LoopReads(scf::ForOp loop) : loop(loop), forms(loop) {
  for (auto load : loop.getBody()->getOps<tile::LoadOp>())
    if (mayChoosePolicy(load))
      if (std::optional<AffineForm> form = forms.get(load.getPtr()); form && form->base)
        reads.push_back({load, std::move(*form)});
}

/// A polynomial in the symbols of other forms.
static Polynomial translate(const Polynomial &from, const AffineForms &own, AffineForms &other) {
  Polynomial sum = Polynomial::constant(0);
  for (const auto &[product, factor] : from.getTerms()) {
    Polynomial term = Polynomial::constant(factor);
    for (unsigned number : product)
      term = term * other.getSymbol(own.getSymbol(number));
    sum = sum + term;
  }
  return from.isValid() ? sum : from;
}

static bool isSameNumber(Value a, Value b) {
  APInt x, y;
  return a == b || (matchPattern(a, m_ConstantInt(&x)) && matchPattern(b, m_ConstantInt(&y)) &&
                    x.getSExtValue() == y.getSExtValue());
}

static bool haveSameBounds(scf::ForOp a, scf::ForOp b) {
  return isSameNumber(a.getLowerBound(), b.getLowerBound()) &&
         isSameNumber(a.getUpperBound(), b.getUpperBound()) &&
         isSameNumber(a.getStep(), b.getStep());
}

static bool readSame(const AffineForm &a, AffineForms &formsOfA, const AffineForm &b,
                     const AffineForms &formsOfB) {
  auto isSame = [&](const Polynomial &x, const Polynomial &y) {
    return x == translate(y, formsOfB, formsOfA);
  };
  return a.base == b.base && a.wraps.empty() && b.wraps.empty() &&
         a.strides.size() == b.strides.size() && isSame(a.uniform, b.uniform) &&
         llvm::equal(a.strides, b.strides, isSame);
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
  void run();

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
  llvm::MapVector<Block *, std::vector<std::unique_ptr<LoopReads>>> blocks;
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
    if (auto loop = dyn_cast<scf::ForOp>(op))
      if (auto reads = std::make_unique<LoopReads>(loop); !reads->reads.empty())
        blocks[op->getBlock()].push_back(std::move(reads));
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
  // What the last loop writes would take the place of what other programs are yet to read again.
  for (auto store : last->getBlock()->getOps<tile::StoreOp>())
    if (isa<RankedTensorType>(store.getValue().getType()) &&
        store.getCache() == tile::CacheModifier::None &&
        store.getEvict() == tile::EvictionPolicy::Normal &&
        !isLoaded(store.getPtr(), /*after=*/nullptr))
      store.setEvict(tile::EvictionPolicy::First);
  emitRemark(readings.front(), RemarkName::ReadKeptInCache,
             "what is loaded here is read again by a loop behind this one, and is kept in the "
             "cache until then",
             /*isMissed=*/false);
}

void Evictions::run() {
  for (auto &[block, loops] : blocks)
    for (auto first = loops.begin(); first != loops.end(); ++first)
      for (auto &[load, form] : (*first)->reads) {
        if (!mayChoosePolicy(load))
          continue;
        SmallVector<tile::LoadOp> readings{load};
        for (auto &later : llvm::make_range(std::next(first), loops.end()))
          if (haveSameBounds((*first)->loop, later->loop))
            for (auto &[other, itsForm] : later->reads)
              if (mayChoosePolicy(other) && other.getType() == load.getType() &&
                  readSame(form, (*first)->forms, itsForm, later->forms))
                readings.push_back(other);
        if (readings.size() > 1 && mayGo(form, (*first)->forms, readings))
          setPolicies(readings);
      }
}

void schedule::chooseEvictions(func::FuncOp kernel, const target::TargetInfo &target,
                               Choice choice) {
  if (target.hasEvictionPolicies && choice != Choice::Off)
    Evictions(kernel, choice).run();
}
