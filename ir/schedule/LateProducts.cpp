// See LateProducts.h.
#include "ir/schedule/LateProducts.h"
#include "ir/schedule/LoopSlice.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;

tile::DotOp schedule::findFirstProduct(scf::ForOp loop) {
  for (auto dot : loop.getBody()->getOps<tile::DotOp>())
    if (!isLate(dot))
      return dot;
  return {};
}

unsigned schedule::countGroups(tile::DotOp dot, const distribute::LayoutAssignment &layouts) {
  return layouts.numWarps() / layouts.getDot(dot).warpGroup->instruction->warps;
}

bool schedule::hasLateProducts(scf::ForOp loop) {
  return llvm::any_of(loop.getBody()->getOps<tile::DotOp>(), isLate);
}

bool schedule::isOfLateProduct(tile::LoadOp load) {
  return llvm::any_of(findReaders(load.getResult()), isLate);
}

namespace {
class Finder {
public:
  Finder(tile::DotOp dot, scf::ForOp loop, Refusal &refusal)
      : dot(dot), loop(loop), body(loop.getBody()), refusal(refusal) {}
  std::optional<LateProduct> find();

private:
  bool refuse(Operation *op, const Twine &why) {
    refusal = {op, why.str()};
    return false;
  }
  bool findSum(LateProduct &late);
  bool findScaling(LateProduct &late);
  bool findOperands(LateProduct &late);
  /// Whether `value` is computed of an earlier product of the body.
  bool followsProduct(Value value) const;

  tile::DotOp dot;
  scf::ForOp loop;
  Block *body;
  Refusal &refusal;
};
} // namespace

bool Finder::findSum(LateProduct &late) {
  if (!dot.getResult().hasOneUse())
    return refuse(dot, "its iteration reads the sum");
  OpOperand &use = *dot.getResult().use_begin();
  if (use.getOwner() != body->getTerminator())
    return refuse(use.getOwner(), "its iteration reads the sum");
  late.carried = use.getOperandNumber();
  return true;
}

/// From the carried sum to the accumulator, through ops that nothing else reads.
bool Finder::findScaling(LateProduct &late) {
  Value next = loop.getRegionIterArg(late.carried);
  while (next.hasOneUse()) {
    OpOperand &use = *next.use_begin();
    Operation *op = use.getOwner();
    if (op == dot)
      return use.getOperandNumber() == 2 || refuse(dot, "the last sum is one of its factors");
    if (op->getBlock() != body || op->getNumResults() != 1 || op->getNumRegions() ||
        !op->hasTrait<OpTrait::Elementwise>() || !isMemoryEffectFree(op))
      return refuse(op, "its accumulator is not made of the last sum element by element");
    late.scaling.push_back(op);
    next = op->getResult(0);
  }
  return refuse(dot, "its iteration reads the last sum");
}

bool Finder::followsProduct(Value value) const {
  SmallVector<Value> work{value};
  llvm::DenseSet<Operation *> seen;
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op || op->getBlock() != body || !seen.insert(op).second)
      continue;
    if (auto other = dyn_cast<tile::DotOp>(op); other && !isLate(other))
      return true;
    op->walk([&](Operation *inner) { work.append(inner->operand_begin(), inner->operand_end()); });
  }
  return false;
}

bool Finder::findOperands(LateProduct &late) {
  bool follows = false;
  for (unsigned number : {0u, 1u}) {
    Value operand = dot->getOperand(number);
    if (tile::LoadOp load = loadOf(operand); load && load->getBlock() == body && getRing(load)) {
      for (tile::DotOp reader : findReaders(load.getResult()))
        if (reader != dot && !isLate(reader))
          return refuse(reader, "another product reads the same slot on time");
      continue;
    }
    if (operand.getParentRegion() != body->getParent())
      return refuse(dot, "it multiplies what is the same in all iterations, and zeros by that may "
                         "not be zeros");
    late.computed.push_back(number);
    follows |= followsProduct(operand);
  }
  if (!follows)
    return refuse(dot, "it needs no other product of its iteration");
  return true;
}

std::optional<LateProduct> Finder::find() {
  LateProduct late{dot, 0};
  if (dot->getBlock() != body || !findSum(late) || !findScaling(late) || !findOperands(late))
    return std::nullopt;
  return late;
}

std::optional<LateProduct> schedule::findLateProduct(tile::DotOp dot, scf::ForOp loop,
                                                     Refusal &refusal) {
  return Finder(dot, loop, refusal).find();
}
