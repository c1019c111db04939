// The state of one kernel's lowering from tiles to threads, shared by the files Lower*.cpp.
//
// A tensor becomes one vector in each thread: its registers, in the order of its layout. Scalars
// stay scalars. Values without a layout of their own are built where they are used, in the layout
// that the user asks for. Nothing here inserts barriers; see SharedMemory.h.
#pragma once

#include "ir/layout/Conversion.h"
#include "ir/simt/LowerTile.h"

namespace tilerun::simt {

using distribute::LayoutAssignment;
using layout::LinearLayout;
using mlir::Location;
using mlir::Operation;
using mlir::Type;
using mlir::Value;
using Values = llvm::SmallVector<Value, 8>;

/// The registers of each access of a thread, in memory order.
using RegisterGroups = llvm::SmallVector<llvm::SmallVector<unsigned, 8>, 8>;
RegisterGroups groupRegisters(const distribute::AccessPlan &plan, unsigned elementBytes,
                              unsigned maxBytes);

/// Where tiles that warp groups read may start in shared memory: at the beginning of a swizzle.
inline constexpr int64_t kMatrixTileAlignment = 1024;

/// The most tiles in a ring of buffers, and how many a loop asks for: itself, or by the options.
inline constexpr int64_t kMaxStages = 64;
/// The most of them that are filled from registers.
inline constexpr int64_t kMaxRegisterStages = 2;
int64_t stagesOf(mlir::scf::ForOp loop, const LowerOptions &options);

/// Whether `op` divides integers, which is undefined for some of them.
bool isDivision(Operation *op);

/// Calls `body` with the registers of each access, in memory order.
void forEachAccess(const layout::SharedAccess &access,
                   llvm::function_ref<void(llvm::ArrayRef<unsigned>)> body);

/// Whether so many registers in a row are words of `perWord` each, in the order of all registers.
bool areWords(llvm::ArrayRef<unsigned> registers, unsigned perWord);
/// Numbers of those words.
llvm::SmallVector<int64_t> wordsOf(llvm::ArrayRef<unsigned> registers, unsigned perWord);

class Lowering {
public:
  Lowering(mlir::func::FuncOp kernel, const LayoutAssignment &layouts, const LowerOptions &options,
           int64_t stageLimit, int64_t conversionBytes)
      : kernel(kernel), layouts(layouts), options(options), stageLimit(stageLimit),
        conversionBytes(conversionBytes), b(kernel.getContext()) {}
  /// The lowered kernel, before the one that it is made from.
  mlir::FailureOr<mlir::func::FuncOp> run();

private:
  //===- Values (Lowering.cpp) --------------------------------------------===//

  /// The registers of tensor `value` in `layout`.
  Value get(Value value, const LinearLayout &layout);
  Value getScalar(Value value);
  /// A tensor in `layout`, or a scalar.
  Value getLike(Value value, const LinearLayout &layout);
  void set(Value value, Value lowered);
  /// The layout that `value` has, or one that suits it.
  LinearLayout layoutOf(Value value);
  /// Reports that `op` cannot be lowered. Lowering goes on with poison so that more is reported.
  void fail(Operation *op, const llvm::Twine &why);
  Value poison(Type type);

  Type elementType(Type type) const; ///< As registers hold it: pointers i64, 8-bit floats i8.
  mlir::VectorType registerType(Type element, const LinearLayout &layout) const;
  Type loweredType(Value value); ///< A vector in its home layout, or a scalar.

  //===- Building blocks (LowerBlocks.cpp) --------------------------------===//

  Value constant(int32_t value);
  Value splat(Value scalar, unsigned count);
  Values unpack(Value vector);
  Value pack(llvm::ArrayRef<Value> elements);
  /// result[i] = vector[indices[i]].
  Value pick(Value vector, llvm::ArrayRef<int64_t> indices);
  /// Lanes' and warps' part of a linear map: XOR of bases[i] over the set bits i of the thread id.
  Value applyToThread(llvm::ArrayRef<uint64_t> bases);
  /// Whether that map gives this thread a number with `bit` set.
  Value testThread(llvm::ArrayRef<uint64_t> bases, unsigned bit);
  /// One i32 per register: the coordinate `out` of `layout`, plus `start`.
  Value coordinates(const LinearLayout &layout, llvm::StringRef out, int64_t start);
  /// base ^ constant, as an addition where the bits never meet.
  Value offsetBy(Value base, uint64_t baseBits, uint64_t constant);
  /// Whether this thread is the first that holds its elements; null: every thread is.
  Value isFirstHolder(const LinearLayout &layout);
  Value conjunction(Value x, Value y);               ///< Either may be null.
  Value resizeInteger(Value integer, unsigned bits); ///< Cut or extended by zeros.
  Value shuffle(ShuffleMode mode, Value scalar, Value lane);
  llvm::SmallVector<uint64_t, 16> threadBases(const LinearLayout &layout,
                                              llvm::StringRef out) const;
  uint64_t registerImage(const LinearLayout &layout, uint64_t reg, llvm::StringRef out) const;

  //===- Ops ---------------------------------------------------------------===//

  void lowerBlock(mlir::Block &block);
  void lowerOp(Operation *op);
  /// Values whose ops are lowered on demand; lowers `value` in `layout`.
  Value build(Value value, const LinearLayout &layout);
  /// A copy of a constant, or of another op without operands that gives a scalar.
  Value cloneUniform(Operation *op, unsigned index);
  /// A copy of an elementwise op on `count` registers (0: on scalars).
  Value cloneElementwise(Operation *op, mlir::ValueRange operands, unsigned count,
                         unsigned resultIndex = 0);
  /// A divisor with which the division is defined; the same one where it is already.
  Value guardDivisor(Operation *division, Value dividend, Value divisor);
  void lowerFor(mlir::scf::ForOp op);
  /// With loads that run ahead, if the loop has some for which that pays (LowerPipeline.cpp).
  bool lowerPipelinedFor(mlir::scf::ForOp op);
  void lowerIf(mlir::scf::IfOp op);
  void lowerWhile(mlir::scf::WhileOp op);
  /// A conversion from or to an 8-bit float that only arithmetic can do; null for others
  /// (LowerFloat8.cpp).
  Value castFloat8(Value source, Type from, Type to, tile::RoundingMode rounding);
  Values getAll(mlir::ValueRange values, mlir::ValueRange like);

  // LowerMemory.cpp
  void lowerLoad(tile::LoadOp op);
  /// What is loaded: a scalar, or registers in the access's own layout. Of a tensor, with `perWord`
  /// above 1, 32-bit words of so many registers each.
  Value load(tile::LoadOp op, unsigned perWord = 1);
  void lowerStore(tile::StoreOp op);
  void lowerAtomicRMW(tile::AtomicRMWOp op);
  void lowerAtomicCAS(tile::AtomicCASOp op);
  /// Gives every holder of an element what its first holder has.
  Value replicate(Value vector, const LinearLayout &layout);
  Value replicateScalar(Value scalar);

  /// A tile in shared memory, in one slot of a ring of buffers.
  struct Buffered {
    Value buffer, slot;  ///< slot: its byte offset.
    LinearLayout memory; ///< offset -> tensor, in elements.
    unsigned inner;      ///< The dimension whose neighbours are neighbours in memory.
    Type element;
    int64_t pitch = 0; ///< Of a padded tile: bytes from one line to the next.
  };
  /// The registers of `wanted`, moved by the coordinates `origin` (LowerFragments.cpp).
  Value readBuffered(const Buffered &source, const LinearLayout &wanted,
                     llvm::ArrayRef<uint64_t> origin = {});
  /// Stores `operand` to shared memory so that `reader` suits it.
  Buffered stageFor(Value operand, const LinearLayout &reader);
  /// Stores registers in `layout`, or words of some of them, as `access` says, `slot` bytes further
  /// (null: 0).
  void storeShared(Value vector, const LinearLayout &layout, const layout::SharedAccess &access,
                   Value buffer, Value slot = {}, bool ahead = false);

  // LowerConvert.cpp
  Value convert(Value vector, const LinearLayout &from, const LinearLayout &to);
  Value convertThroughShared(Value vector, const layout::ConversionPlan &plan,
                             const LinearLayout &from, const LinearLayout &to);
  /// The same where not all of it fits into shared memory at once.
  Value convertInPieces(Value vector, const layout::SharedPlan &plan, const LinearLayout &from,
                        unsigned pieceBits);
  Value convertByShuffles(Value vector, const layout::ShufflePlan &plan);
  Value chooseByThread(const LinearLayout &map, llvm::StringRef out, uint64_t fixed,
                       llvm::function_ref<Value(uint64_t)> table);

  // LowerExchange.cpp
  /// Registers of another lane, as simt.shuffle names it, by any means that the target has.
  Values exchange(llvm::ArrayRef<Value> vectors, ShuffleMode mode, Value lane);
  Values exchangeThroughShared(llvm::ArrayRef<Value> words, ShuffleMode mode, Value lane);

  // LowerGather.cpp
  void lowerGather(tile::GatherOp op);
  void lowerHistogram(tile::HistogramOp op);
  void lowerMap(tile::MapOp op);
  Value gatherByShuffles(tile::GatherOp op, const LinearLayout &layout);
  Value gatherThroughShared(tile::GatherOp op, const LinearLayout &layout);

  // LowerAssembly.cpp
  void lowerInlineAsm(tile::InlineAsmOp op);
  /// Whether the target understands it; reports otherwise.
  bool canAssemble(tile::InlineAsmOp op);
  /// Instances for `count` elements of each operand; elements of each result.
  llvm::SmallVector<Values> assemble(tile::InlineAsmOp op, llvm::ArrayRef<Values> operands,
                                     size_t count);

  // LowerReduce.cpp, LowerScan.cpp
  void lowerReduce(tile::ReduceOp op);
  void lowerScan(tile::ScanOp op);
  /// The combine region on registers: accumulated and next values to new ones.
  Values combine(Operation *op, llvm::ArrayRef<Value> left, llvm::ArrayRef<Value> right);
  /// The region of `op` on every register of `vectors`, one for each of its arguments.
  Values applyRegion(Operation *op, llvm::ArrayRef<Value> vectors);

  // LowerDot.cpp, LowerMultiplyAdd.cpp
  void lowerDot(tile::DotOp op);
  Value dotByInstruction(tile::DotOp op, const distribute::DotPlan &plan);
  /// An operand of a product, ready to be read in steps along k.
  struct DotOperand;
  DotOperand placeOperand(Value operand, const distribute::DotPlan &plan, bool isLeft);
  /// The registers of one step as the instruction takes them: in parts, the largest first, and 0
  /// beyond the end of k.
  Values readOperand(const DotOperand &operand, unsigned step);
  /// A float conversion of registers, rounded to nearest; `held`: the type that holds `to`.
  Value castFloat(Value vector, Type from, Type to, Type held);
  Value dotByMultiplyAdd(tile::DotOp op, const distribute::DotPlan &plan);
  /// XOR of bases[i] over the set bits i of `index`.
  Value applyToIndex(Value index, llvm::ArrayRef<uint64_t> bases);

  // LowerWgmma.cpp
  Value dotByWarpGroups(tile::DotOp op, const distribute::DotPlan &plan);
  /// The tile of a pipelined loop that `operand` is, possibly transposed.
  std::optional<Buffered> findBuffered(Value operand);
  /// Whether the registers of `operand` are those of `wanted`, or a choice of them.
  bool isInFragments(Value operand, const LinearLayout &wanted);
  /// Stores a product's operand to shared memory, for warp groups to read.
  Buffered stage(Value operand, unsigned summed, bool takesAnyOrder);
  /// As applyToThread for a map that does not depend on lanes; null for 0.
  Value uniformInWarp(llvm::ArrayRef<uint64_t> bases);
  /// If `operand` does not change in the loops around: builds after it from here on, before those
  /// loops. Gives the scope in which what is built now belongs.
  size_t hoist(Value operand);

  // LowerMatrices.cpp
  Value dotByMatrices(tile::DotOp op, const distribute::DotPlan &plan);
  /// Whether the product reads this operand (0 or 1) as it is from a padded tile.
  bool readsPadded(tile::DotOp dot, unsigned operand) const;
  /// A padded tile for opaque matrices, without a buffer yet; nullopt if registers in layout
  /// `writer` cannot be stored to it.
  std::optional<Buffered> paddedTile(mlir::RankedTensorType type, unsigned inner, Type element,
                                     const LinearLayout &writer) const;
  int64_t bytesOf(const Buffered &tile) const; ///< Of one slot.
  void storePadded(Value vector, const LinearLayout &layout, const Buffered &tile, bool ahead);
  /// Stores a product's operand to a padded tile.
  Buffered stageMatrix(Value operand, Type element);
  /// The sum of bases[i] over the set bits i of the thread id.
  Value sumOverThread(llvm::ArrayRef<uint64_t> bases);

  // LowerDebug.cpp
  void lowerAssert(tile::AssertOp op);
  void lowerPrint(tile::PrintOp op);

  /// Of a barrier of all threads of the program.
  BarrierScope barrierScope() const {
    return options.numWarps == 1 && options.target->hasShuffle ? BarrierScope::Warp
                                                               : BarrierScope::Program;
  }
  unsigned laneBits() const { return llvm::Log2_32(options.target->warpSize); }
  unsigned warpBits() const { return llvm::Log2_32(options.numWarps); }
  unsigned internLayout(const LinearLayout &layout);

  mlir::func::FuncOp kernel, lowered;
  const LayoutAssignment &layouts;
  const LowerOptions &options;
  int64_t stageLimit;      ///< The most buffers of any pipelined loop.
  int64_t conversionBytes; ///< The most shared memory that one conversion between layouts takes.
  mlir::OpBuilder b;
  Location loc{mlir::UnknownLoc::get(b.getContext())};

  /// What has been built in a block that is being lowered, by value and layout.
  struct Scope {
    mlir::Block *block = nullptr;
    bool isLoop = false;
    llvm::DenseMap<std::pair<Value, unsigned>, Value> built;
    llvm::DenseMap<std::pair<Value, unsigned>, Buffered> staged; ///< By value and summed dimension.
  };
  void pushScope(mlir::Block *block, bool isLoop) {
    scopes.emplace_back();
    scopes.back().block = block;
    scopes.back().isLoop = isLoop;
  }
  std::vector<Scope> scopes;
  llvm::DenseMap<Value, Value> values;      ///< Scalars, and tensors in their home layout.
  llvm::DenseMap<Value, Buffered> buffered; ///< Loads that are in shared memory.
  std::vector<LinearLayout> internedLayouts;
  std::map<std::vector<uint64_t>, Value> threadMaps, uniformMaps, threadSums, uniformSums;
  llvm::DenseMap<std::pair<Value, unsigned>, Value> threadFlags; ///< By map and bit.
  /// Products whose instructions are still under way at the end of an iteration.
  llvm::SmallPtrSet<Operation *, 4> deferredProducts;
  Value threadId;
  int64_t sharedInUse = 0; ///< What the pipelined loops around the place of insertion keep.
  mlir::Block *guardedBlock = nullptr; ///< Its ops may be for an iteration that there is not.
  unsigned depth = 0;
  bool hasFailed = false;
};

} // namespace tilerun::simt
