// The state of one kernel's lowering from tiles to threads.
//
// Rules of the lowering:
// - It decides nothing about who holds what or when: layouts and plans come from ir/distribute,
//   what runs ahead and how much conversions may take from ir/schedule.
// - A tensor becomes one vector in each thread: its registers, in the order of its layout. Scalars
//   stay scalars.
// - Values without a layout of their own are built where they are used, in the layout that the user
//   asks for.
// - The context knows no op. Each op is lowered by its handler (Handlers.def lists them all; see
//   docs/guides/adding-an-op.md); products go through ProductStrategy.
// - Handlers share building blocks by topic: Registers, ThreadMaps, SharedTiles, Conversions,
//   Exchange, Regions, FloatCasts. A block takes the builder if that is all it needs.
// - A function that fails has reported why and returns failure; no code continues with a made-up
//   value.
// - Nothing here inserts barriers; the barrier pass does (sync/Barriers.h).
#pragma once

#include "ir/schedule/ScheduleDialect.h"
#include "ir/simt/LowerTile.h"
#include "ir/simt/SharedTiles.h"
#include "ir/simt/ThreadMaps.h"

#include "llvm/Support/SaveAndRestore.h"

namespace tilerun::simt {

using distribute::LayoutAssignment;
using layout::LinearLayout;

class LowerContext {
  struct State {
    State() = default;
    State(mlir::Block *block, bool isLoop) : block(block), isLoop(isLoop) {}
    mlir::Block *block = nullptr;
    bool isLoop = false;
    llvm::DenseMap<mlir::Value, mlir::Value> values; ///< Scalars, and tensors as they are kept.
    llvm::DenseMap<std::pair<mlir::Value, unsigned>, mlir::Value> built; ///< By layout's number.
    llvm::DenseMap<mlir::Value, SharedTile> tiles;
    llvm::DenseMap<std::pair<mlir::Value, unsigned>, SharedTile> stored;
  };

public:
  /// The builder is at the beginning of the lowered kernel.
  LowerContext(mlir::ImplicitLocOpBuilder &b, const LayoutAssignment &layouts,
               const LowerOptions &options, int64_t conversionBytes)
      : b(b), layouts(layouts), options(options), target(*options.target), threads(b),
        conversionBytes(conversionBytes) {}

  //===- Values ------------------------------------------------------------===//

  /// The registers of tensor `value` in `layout`.
  mlir::FailureOr<mlir::Value> get(mlir::Value value, const LinearLayout &layout);
  /// One by one; none if `value` is null.
  mlir::FailureOr<Values> getRegisters(mlir::Value value, const LinearLayout &layout);
  mlir::FailureOr<mlir::Value> getScalar(mlir::Value value);
  /// A tensor in `layout`, or a scalar.
  mlir::FailureOr<mlir::Value> getLike(mlir::Value value, const LinearLayout &layout);
  /// One by one: a tensor's registers in `layout`, or a scalar; none if `value` is null.
  mlir::FailureOr<Values> getElements(mlir::Value value, const LinearLayout &layout);
  /// `values` in the layouts in which those of `like` are kept: their first or next values.
  mlir::FailureOr<Values> getAll(mlir::ValueRange values, mlir::ValueRange like);

  /// `lowered` is a scalar, or a tensor in the layout in which `value` is kept.
  void set(mlir::Value value, mlir::Value lowered) { scopes.back().values[value] = lowered; }
  /// Converts registers in `layout` to that of `value`.
  llvm::LogicalResult set(mlir::Value value, mlir::Value vector, const LinearLayout &layout);
  /// The value given to `set`; null if `value` is built on demand.
  mlir::Value find(mlir::Value value) const;

  /// The layout that `value` has, or one that suits it.
  LinearLayout layoutOf(mlir::Value value) const;
  mlir::Type loweredType(mlir::Value value) const; ///< A vector in its layout, or a scalar.

  //===- Tiles in shared memory --------------------------------------------===//

  /// `value` is in shared memory as long as the innermost scope lasts.
  void setTile(mlir::Value value, SharedTile tile) { scopes.back().tiles[value] = std::move(tile); }
  const SharedTile *getTile(mlir::Value value) const;
  /// The tile stored from `value` for readers of kind `reader`, in the enclosing scopes.
  const SharedTile *getStored(mlir::Value value, unsigned reader) const;
  void setStored(size_t scope, mlir::Value value, unsigned reader, SharedTile tile) {
    scopes[scope].stored[{value, reader}] = std::move(tile);
  }

  //===- Scopes ------------------------------------------------------------===//

  /// Facts that hold while a block is lowered, and are dropped after it.
  class Scope {
  public:
    Scope(LowerContext &c, mlir::Block *block, bool isLoop) : c(c) {
      c.scopes.emplace_back(block, isLoop);
    }
    ~Scope() { c.scopes.pop_back(); }
    Scope(const Scope &) = delete;

  private:
    LowerContext &c;
  };
  /// Conversions take as much shared memory as `sched.conversions` of `op` says, where it does.
  class ConversionLimit {
  public:
    ConversionLimit(LowerContext &c, mlir::Operation *op) : restored(c.conversionBytes) {
      if (auto own = op->getAttrOfType<mlir::IntegerAttr>(schedule::SchedDialect::kConversions))
        c.conversionBytes = own.getInt();
    }

  private:
    llvm::SaveAndRestore<int64_t> restored;
  };
  /// If `value` does not change in the loops around: builds after it from here on, before those
  /// loops. Returns the scope to which the values built there belong.
  size_t hoist(mlir::Value value);

  //===- Diagnostics -------------------------------------------------------===//

  /// Reports that `op` cannot be lowered.
  llvm::LogicalResult refuse(mlir::Operation *op, const llvm::Twine &why);
  /// Reports that something is wrong with the compiler.
  llvm::LogicalResult reportInternal(mlir::Location loc, const llvm::Twine &what);

  //===- The target --------------------------------------------------------===//

  unsigned laneBits() const { return llvm::Log2_32(target.warpSize); }
  unsigned warpBits() const { return llvm::Log2_32(options.numWarps); }
  /// The scope of a barrier of all threads of the program, or of the role.
  BarrierScope barrierScope() const {
    if (inRole)
      return BarrierScope::Role;
    return options.numWarps == 1 && target.hasShuffle ? BarrierScope::Warp : BarrierScope::Program;
  }
  LinearLayout normalize(const LinearLayout &layout) const {
    return distribute::normalize(layout, laneBits(), warpBits());
  }
  LinearLayout canonicalize(const LinearLayout &layout) const {
    return distribute::canonicalize(layout, laneBits(), warpBits());
  }
  /// Of a scalar: every thread holds it.
  LinearLayout everywhere() const { return normalize(LinearLayout()); }

  mlir::ImplicitLocOpBuilder &b;
  const LayoutAssignment &layouts;
  const LowerOptions &options;
  const TargetInfo &target;
  ThreadMaps threads;
  bool inRole = false;
  int64_t conversionBytes; ///< The most shared memory that one conversion takes here.

private:
  unsigned numberOf(const LinearLayout &layout);

  std::vector<State> scopes;
  std::vector<LinearLayout> knownLayouts;
  unsigned depth = 0;
};

} // namespace tilerun::simt
