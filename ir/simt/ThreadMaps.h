// Linear maps of a thread's number as arithmetic. They do not change in a kernel: each is computed
// once, at the entry of the kernel or of a role.
#pragma once

#include "ir/simt/Registers.h"

namespace tilerun::simt {

class ThreadMaps {
public:
  /// Makes the thread's number at the builder's place, which dominates all that follows.
  explicit ThreadMaps(mlir::ImplicitLocOpBuilder &b);

  mlir::Value threadId() const { return known.id; }
  /// XOR of bases[i] over the set bits i of the thread's number (lanes, then warps).
  mlir::Value apply(llvm::ArrayRef<uint64_t> bases);
  /// Whether that map gives this thread a number with `bit` set.
  mlir::Value test(llvm::ArrayRef<uint64_t> bases, unsigned bit);
  /// The sum of bases[i] over the set bits i of the thread's number.
  mlir::Value sum(llvm::ArrayRef<uint64_t> bases);
  /// As `apply` and `sum` for maps that do not depend on lanes, in a way that tells the target's
  /// compiler so.
  mlir::Value applyUniform(llvm::ArrayRef<uint64_t> bases);
  mlir::Value sumUniform(llvm::ArrayRef<uint64_t> bases);
  /// One i32 per register: the coordinate `out` of `layout`, plus `start`. Emitted at the builder's
  /// place.
  mlir::Value coordinates(const layout::LinearLayout &layout, llvm::StringRef out, int64_t start);
  /// Whether this thread is the first that holds its elements; null: every thread is.
  mlir::Value isFirstHolder(const layout::LinearLayout &layout);

private:
  using Cache = std::map<std::vector<uint64_t>, mlir::Value>;
  struct Known {
    explicit Known(mlir::Value id = {}) : id(id) {}
    mlir::Value id;
    Cache maps, sums, uniformMaps, uniformSums;
    llvm::DenseMap<std::pair<mlir::Value, unsigned>, mlir::Value> flags; ///< By map and bit.
  };

public:
  /// While it lives, threads have other numbers: those in a role, where it begins.
  class InRole {
  public:
    InRole(ThreadMaps &maps, mlir::Value id)
        : maps(maps), outer(std::exchange(maps.known, Known(id))) {}
    ~InRole() { maps.known = std::move(outer); }
    InRole(const InRole &) = delete;

  private:
    ThreadMaps &maps;
    Known outer;
  };

private:
  mlir::ImplicitLocOpBuilder &b;
  mlir::Location loc;
  Known known;
};

} // namespace tilerun::simt
