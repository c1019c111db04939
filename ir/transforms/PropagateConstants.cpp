// tile-propagate-constants: sparse conditional constant propagation. MLIR's pass of this kind takes
// what is known of a value that a fold names (`(a ^ b) ^ b` is `a`) without watching it, so that a
// value carried by a loop may be taken for its first one. Here only operands, which are watched,
// are followed.
#include "ir/transforms/Passes.h"

#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/FoldUtils.h"

namespace tilerun {
#define GEN_PASS_DEF_TILEPROPAGATECONSTANTS
#include "ir/transforms/Passes.h.inc"
} // namespace tilerun

using namespace mlir;
using namespace tilerun;
using dataflow::ConstantValue;
using dataflow::Lattice;

namespace {

class Propagation : public dataflow::SparseConstantPropagation {
public:
  using SparseConstantPropagation::SparseConstantPropagation;

  LogicalResult visitOperation(Operation *op, ArrayRef<const Lattice<ConstantValue> *> operands,
                               ArrayRef<Lattice<ConstantValue> *> results) override {
    // A fold may change what is inside regions.
    if (op->getNumRegions()) {
      setAllToEntryStates(results);
      return success();
    }
    SmallVector<Attribute> constants;
    for (const Lattice<ConstantValue> *operand : operands) {
      if (operand->getValue().isUninitialized())
        return success();
      constants.push_back(operand->getValue().getConstantValue());
    }
    SmallVector<Value> oldOperands(op->getOperands());
    DictionaryAttr oldAttributes = op->getAttrDictionary();
    SmallVector<OpFoldResult> folded;
    bool isFolded = succeeded(op->fold(constants, folded));
    // In-place changes of a fold are undone.
    op->setOperands(oldOperands);
    op->setAttrs(oldAttributes);
    if (!isFolded || folded.size() != results.size()) {
      setAllToEntryStates(results);
      return success();
    }
    for (auto [result, value] : llvm::zip_equal(results, folded)) {
      if (auto constant = dyn_cast<Attribute>(value)) {
        propagateIfChanged(result, result->join(ConstantValue(constant, op->getDialect())));
        continue;
      }
      auto *found = llvm::find(oldOperands, cast<Value>(value));
      if (found == oldOperands.end())
        setToEntryState(result);
      else
        propagateIfChanged(result, result->join(*operands[found - oldOperands.begin()]));
    }
    return success();
  }
};

/// Whether `value` is a constant, which now takes its place.
bool replace(DataFlowSolver &solver, OpBuilder &b, OperationFolder &folder, Value value) {
  auto *lattice = solver.lookupState<Lattice<ConstantValue>>(value);
  if (!lattice || lattice->getValue().isUninitialized())
    return false;
  const ConstantValue &known = lattice->getValue();
  if (!known.getConstantValue())
    return false;
  Value constant = folder.getOrCreateConstant(b.getInsertionBlock(), known.getConstantDialect(),
                                              known.getConstantValue(), value.getType());
  if (!constant)
    return false;
  value.replaceAllUsesWith(constant);
  return true;
}

void rewrite(DataFlowSolver &solver, MutableArrayRef<Region> regions) {
  OperationFolder folder(regions.front().getContext());
  OpBuilder b(regions.front().getContext());
  SmallVector<Region *> waiting;
  for (Region &region : regions)
    waiting.push_back(&region);
  while (!waiting.empty()) {
    Region *region = waiting.pop_back_val();
    for (Block &block : *region) {
      b.setInsertionPointToStart(&block);
      for (BlockArgument argument : block.getArguments())
        replace(solver, b, folder, argument);
      for (Operation &op : llvm::make_early_inc_range(block)) {
        b.setInsertionPoint(&op);
        bool isReplaced = op.getNumResults() != 0;
        for (Value result : op.getResults())
          isReplaced &= replace(solver, b, folder, result);
        if (isReplaced && wouldOpBeTriviallyDead(&op)) {
          op.erase();
          continue;
        }
        for (Region &inner : op.getRegions())
          waiting.push_back(&inner);
      }
    }
  }
}

struct PropagateConstants : tilerun::impl::TilePropagateConstantsBase<PropagateConstants> {
  void runOnOperation() override {
    DataFlowSolver solver;
    solver.load<dataflow::DeadCodeAnalysis>();
    solver.load<Propagation>();
    if (failed(solver.initializeAndRun(getOperation())))
      return signalPassFailure();
    if (getOperation()->getNumRegions())
      rewrite(solver, getOperation()->getRegions());
  }
};

} // namespace
