// What a kernel's loops read that an earlier loop beside them has read: rows that are too long for
// a program's registers are read by one loop after another.
#pragma once

#include "ir/analysis/AffineForm.h"
#include "ir/tile/TileOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilerun::schedule {

/// A loop's loads of tensors that may be read again, and their addresses.
struct LoopReads {
  mlir::scf::ForOp loop;
  AffineForms forms; ///< Of its iterations.
  std::vector<std::pair<tile::LoadOp, AffineForm>> reads;

  /// Loads without a ring or a cache modifier that are not volatile, and whose form has a base.
  explicit LoopReads(mlir::scf::ForOp loop);
  /// The form of one of its reads.
  const AffineForm &getForm(tile::LoadOp load) const;
};

/// Loads of loops of one block that read the same addresses in the same iterations, in order: at
/// least two.
struct Rereading {
  struct Read {
    tile::LoadOp load;
    LoopReads *of;
  };
  llvm::SmallVector<Read> reads;

  Read first() const { return reads.front(); }
  tile::LoadOp last() const { return reads.back().load; }
  llvm::SmallVector<tile::LoadOp> getLoads() const;
};

/// Finds them, for as long as the IR does not change: addresses are compared as affine forms.
class Rereads {
public:
  explicit Rereads(mlir::func::FuncOp kernel);
  llvm::ArrayRef<Rereading> get() const { return found; }

private:
  llvm::MapVector<mlir::Block *, std::vector<std::unique_ptr<LoopReads>>> blocks;
  std::vector<Rereading> found;
};

/// Whether two loops begin, step and end alike.
bool haveSameBounds(mlir::scf::ForOp a, mlir::scf::ForOp b);
/// Whether two accesses are to the same addresses in the same iterations of loops with the same
/// bounds.
bool accessSame(const AffineForm &a, AffineForms &formsOfA, const AffineForm &b,
                const AffineForms &formsOfB);
/// Whether two scalars or tensors are the same in the same iterations of such loops: the same ops
/// compute them from the same values. False if that is not known.
bool areSame(mlir::Value a, mlir::scf::ForOp loopOfA, mlir::Value b, mlir::scf::ForOp loopOfB);

} // namespace tilerun::schedule
