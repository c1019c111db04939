// See Evictions.h.
#include "ir/schedule/Evictions.h"
#include "ir/analysis/AffineForm.h"
#include "ir/schedule/ScheduleDialect.h"
#include "ir/tile/Remarks.h"
#include "ir/tile/TileOps.h"

#include "mlir/IR/Matchers.h"

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

static bool mayChoose(tile::LoadOp load) {
  return isa<RankedTensorType>(load.getType()) && !load.getIsVolatile() &&
         load.getCache() == tile::CacheModifier::None &&
         load.getEvict() == tile::EvictionPolicy::Normal && !getRing(load);
}

LoopReads::LoopReads(scf::ForOp loop) : loop(loop), forms(loop) {
  for (auto load : loop.getBody()->getOps<tile::LoadOp>())
    if (mayChoose(load))
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

/// Adds the axes of the program ids that a scalar is computed from.
static void addAxes(Value value, llvm::SmallDenseSet<unsigned> &axes) {
  SmallVector<Value> work{value};
  llvm::SmallDenseSet<Value> seen;
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (!next || !seen.insert(next).second)
      continue;
    if (auto id = next.getDefiningOp<tile::ProgramIdOp>())
      axes.insert(unsigned(id.getAxis()));
    if (Operation *op = next.getDefiningOp())
      work.append(op->operand_begin(), op->operand_end());
    else if (auto loop = dyn_cast<scf::ForOp>(next.getParentBlock()->getParentOp()))
      work.append(loop->operand_begin(), loop->operand_end());
  }
}

/// Whether the address depends on all `axes`.
static bool isOwn(const AffineForm &form, const AffineForms &forms,
                  const llvm::SmallDenseSet<unsigned> &axes) {
  llvm::SmallDenseSet<unsigned> found;
  addAxes(form.base, found);
  for (const auto &[product, factor] : form.uniform.getTerms())
    for (unsigned number : product)
      addAxes(forms.getSymbol(number), found);
  return !axes.empty() && llvm::all_of(axes, [&](unsigned axis) { return found.contains(axis); });
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static void setPolicies(ArrayRef<tile::LoadOp> readings) {
  for (tile::LoadOp load : readings.drop_back())
    load.setEvict(tile::EvictionPolicy::Last);
  tile::LoadOp last = readings.back();
  last.setEvict(tile::EvictionPolicy::First);
  // What the last loop writes would take the place of what other programs are yet to read again.
  for (auto store : last->getBlock()->getOps<tile::StoreOp>())
    if (isa<RankedTensorType>(store.getValue().getType()) &&
        store.getCache() == tile::CacheModifier::None &&
        store.getEvict() == tile::EvictionPolicy::Normal)
      store.setEvict(tile::EvictionPolicy::First);
  emitRemark(readings.front(), RemarkName::ReadKeptInCache,
             "what is loaded here is read again by a loop behind this one, and is kept in the "
             "cache until then",
             /*isMissed=*/false);
}

void schedule::chooseEvictions(func::FuncOp kernel, const target::TargetInfo &target,
                               Choice choice) {
  if (!target.hasEvictionPolicies || choice == Choice::Off)
    return;
  llvm::SmallDenseSet<unsigned> axes;
  llvm::MapVector<Block *, std::vector<std::unique_ptr<LoopReads>>> blocks;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto id = dyn_cast<tile::ProgramIdOp>(op))
      axes.insert(unsigned(id.getAxis()));
    if (auto loop = dyn_cast<scf::ForOp>(op))
      if (auto reads = std::make_unique<LoopReads>(loop); !reads->reads.empty())
        blocks[op->getBlock()].push_back(std::move(reads));
  });
  for (auto &[block, loops] : blocks)
    for (auto first = loops.begin(); first != loops.end(); ++first)
      for (auto &[load, form] : (*first)->reads) {
        if (!mayChoose(load) || (choice == Choice::Auto && !isOwn(form, (*first)->forms, axes)))
          continue;
        SmallVector<tile::LoadOp> readings{load};
        for (auto &later : llvm::make_range(std::next(first), loops.end()))
          if (haveSameBounds((*first)->loop, later->loop))
            for (auto &[other, itsForm] : later->reads)
              if (mayChoose(other) && other.getType() == load.getType() &&
                  readSame(form, (*first)->forms, itsForm, later->forms))
                readings.push_back(other);
        if (readings.size() > 1)
          setPolicies(readings);
      }
}
