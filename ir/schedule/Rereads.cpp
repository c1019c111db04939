// See Rereads.h.
#include "ir/schedule/Rereads.h"
#include "ir/schedule/ScheduleDialect.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;

//===----------------------------------------------------------------------===//
// The same in two loops
//===----------------------------------------------------------------------===//

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
  return a.getType() == b.getType() && isEqualConstantIntOrValue(a, b);
}

bool schedule::haveSameBounds(scf::ForOp a, scf::ForOp b) {
  return a.getUnsignedCmp() == b.getUnsignedCmp() &&
         isSameNumber(a.getLowerBound(), b.getLowerBound()) &&
         isSameNumber(a.getUpperBound(), b.getUpperBound()) &&
         isSameNumber(a.getStep(), b.getStep());
}

bool schedule::accessSame(const AffineForm &a, AffineForms &formsOfA, const AffineForm &b,
                          const AffineForms &formsOfB) {
  auto isSame = [&](const Polynomial &x, const Polynomial &y) {
    return x == translate(y, formsOfB, formsOfA);
  };
  return a.base == b.base && a.wraps.empty() && b.wraps.empty() &&
         a.strides.size() == b.strides.size() && isSame(a.uniform, b.uniform) &&
         llvm::equal(a.strides, b.strides, isSame);
}

bool schedule::areSame(Value a, scf::ForOp loopOfA, Value b, scf::ForOp loopOfB) {
  if (a == b)
    return true;
  if (!a || !b || a.getType() != b.getType())
    return false;
  if (a == loopOfA.getInductionVar() && b == loopOfB.getInductionVar())
    return true;
  Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
  return x && y && x->getName() == y->getName() && !x->getNumRegions() && isMemoryEffectFree(x) &&
         x->getPropertiesAsAttribute() == y->getPropertiesAsAttribute() &&
         x->getNumOperands() == y->getNumOperands() && x->getNumResults() == 1 &&
         llvm::all_of(llvm::zip(x->getOperands(), y->getOperands()), [&](auto operands) {
           return areSame(std::get<0>(operands), loopOfA, std::get<1>(operands), loopOfB);
         });
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

LoopReads::LoopReads(scf::ForOp loop) : loop(loop), forms(loop) {
  for (auto load : loop.getBody()->getOps<tile::LoadOp>())
    if (isa<RankedTensorType>(load.getType()) && !load.getIsVolatile() &&
        load.getCache() == tile::CacheModifier::None && !getRing(load))
      if (std::optional<AffineForm> form = forms.get(load.getPtr()); form && form->base)
        reads.push_back({load, std::move(*form)});
}

const AffineForm &LoopReads::getForm(tile::LoadOp load) const {
  return llvm::find_if(reads, [&](const auto &read) { return read.first == load; })->second;
}

SmallVector<tile::LoadOp> Rereading::getLoads() const {
  return llvm::map_to_vector(reads, [](const Read &read) { return read.load; });
}

Rereads::Rereads(func::FuncOp kernel) {
  kernel.walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
    if (auto reads = std::make_unique<LoopReads>(loop); !reads->reads.empty())
      blocks[loop->getBlock()].push_back(std::move(reads));
  });
  llvm::DenseSet<Operation *> taken;
  for (auto &[block, loops] : blocks)
    for (auto first = loops.begin(); first != loops.end(); ++first)
      for (auto &[load, form] : (*first)->reads) {
        if (taken.contains(load))
          continue;
        Rereading again{{{load, first->get()}}};
        for (auto &later : llvm::make_range(std::next(first), loops.end()))
          if (haveSameBounds((*first)->loop, later->loop))
            for (auto &[other, itsForm] : later->reads)
              if (!taken.contains(other) && other.getType() == load.getType() &&
                  accessSame(form, (*first)->forms, itsForm, later->forms))
                again.reads.push_back({other, later.get()});
        if (again.reads.size() == 1)
          continue;
        for (tile::LoadOp each : again.getLoads())
          taken.insert(each);
        found.push_back(std::move(again));
      }
}
