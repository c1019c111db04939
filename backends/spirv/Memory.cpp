// Global memory: accesses of up to 128 bits through physical storage buffer pointers. Masks are
// branches; elements of 8 and 16 bits move as 32-bit words wherever there are enough of them, and
// where the device cannot access less than a word, always.
#include "backends/spirv/Patterns.h"

#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::spirvbackend;

namespace {

/// How the elements of one access move.
struct Transfer {
  Type element;   ///< Of per-thread IR.
  unsigned count; ///< Elements.
  unsigned bits;  ///< Of one.
  unsigned bytes; ///< Of all.
  Type unit;      ///< What moves, as loads give it: one of a vector or a scalar.
  unsigned units; ///< How many; 0: less than a word, which the device cannot access.
  bool asWords;   ///< Units are words that hold elements.

  Transfer(VectorType type, const Target &target) {
    MLIRContext *context = type.getContext();
    element = type.getElementType();
    count = type.getNumElements();
    bits = element.getIntOrFloatBitWidth();
    bytes = count * bits / 8;
    asWords = bits < 32;
    unit = asWords ? IntegerType::get(context, 32) : element;
    units = asWords ? bytes / 4 : count;
    if (bytes >= 4)
      return;
    // Narrow accesses are of use where narrow registers are.
    bool isOffered =
        bytes == 2 ? target.hasStorage16 && target.hasInt16 : target.hasStorage8 && target.hasInt8;
    units = isOffered;
    unit = IntegerType::get(context, 8 * bytes);
    if (isOffered && count == 1 && element.isF16() && target.hasFloat16)
      unit = element;
    asWords = unit != heldType(element, target) || count > 1;
  }
  /// The vectors that move: offset in units and length; 16 bytes at most.
  SmallVector<std::pair<unsigned, unsigned>> pieces() const {
    SmallVector<std::pair<unsigned, unsigned>> list;
    unsigned most = std::max<unsigned>(1, 128 / unit.getIntOrFloatBitWidth());
    for (unsigned start = 0; start < units; start += std::min(most, 4u))
      list.push_back({start, std::min({most, 4u, units - start})});
    return list;
  }
};

Type vectorOf(Type unit, unsigned count) {
  return count == 1 ? unit : Type(VectorType::get({int64_t(count)}, unit));
}

/// Where a part of a word lies: the word's address and the part's shift in bits.
std::pair<Value, Value> splitAddress(OpBuilder &b, Location loc, Value address) {
  Type i64 = b.getI64Type(), i32 = b.getI32Type();
  Value word = spirv::BitwiseAndOp::create(b, loc, address, constantOf(b, loc, i64, ~int64_t(3)));
  Value low = spirv::UConvertOp::create(b, loc, i32, address);
  Value byte = spirv::BitwiseAndOp::create(b, loc, low, constantOf(b, loc, i32, 3));
  Value shift = spirv::ShiftLeftLogicalOp::create(b, loc, i32, byte, constantOf(b, loc, i32, 3));
  return {word, shift};
}

struct LoadPattern : KernelPattern<simt::LoadOp> {
  using KernelPattern::KernelPattern;
  LogicalResult matchAndRewrite(simt::LoadOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    Transfer transfer(cast<VectorType>(op.getType()), target);
    Value address = adaptor.getAddress().front();
    bool isVolatile = op.getIsVolatile() || op.getCache() == tile::CacheModifier::CV;
    Type i32 = rewriter.getI32Type();

    SmallVector<Type> types;
    for (auto [start, length] : transfer.pieces())
      types.push_back(vectorOf(transfer.unit, length));
    if (!transfer.units)
      types.push_back(i32);

    SmallVector<Value> defaults;
    if (Value mask = op.getMask()) {
      SmallVector<Value> others;
      if (op.getOther()) {
        others = SmallVector<Value>(adaptor.getOther());
        if (transfer.asWords || !transfer.units)
          others = toWords(rewriter, loc, others, transfer.element, target);
        if (transfer.units && transfer.bytes < 4 && transfer.asWords)
          others[0] = resizeUnsigned(rewriter, loc, others[0], 8 * transfer.bytes);
      }
      if (!transfer.units)
        defaults.push_back(others.empty() ? constantOf(rewriter, loc, i32, 0) : others[0]);
      for (auto [piece, type] : llvm::zip(transfer.pieces(), types))
        defaults.push_back(
            others.empty()
                ? constantOf(rewriter, loc, type, 0)
                : composite(rewriter, loc, ValueRange(others).slice(piece.first, piece.second)));
    }
    auto read = [&](OpBuilder &b) -> SmallVector<Value> {
      if (!transfer.units) {
        auto [word, shift] = splitAddress(b, loc, address);
        Value loaded = loadGlobal(b, loc, word, i32, 4, isVolatile);
        loaded = spirv::ShiftRightLogicalOp::create(b, loc, i32, loaded, shift);
        int64_t bits = (int64_t(1) << (8 * transfer.bytes)) - 1;
        return {spirv::BitwiseAndOp::create(b, loc, loaded, constantOf(b, loc, i32, bits))};
      }
      SmallVector<Value> loaded;
      unsigned unitBytes = transfer.unit.getIntOrFloatBitWidth() / 8;
      for (auto [start, length] : transfer.pieces()) {
        Value place = address;
        if (start)
          place = spirv::IAddOp::create(b, loc, address,
                                        constantOf(b, loc, b.getI64Type(), start * unitBytes));
        loaded.push_back(loadGlobal(b, loc, place, vectorOf(transfer.unit, length),
                                    length * unitBytes, isVolatile));
      }
      return loaded;
    };
    Value mask = op.getMask() ? adaptor.getMask().front() : Value();
    SmallVector<Value> loaded = selectIf(rewriter, loc, kernel, mask, types, defaults, read), units;
    for (Value piece : loaded)
      llvm::append_range(units, elementsOf(rewriter, loc, piece));
    if (transfer.asWords || !transfer.units) {
      for (Value &unit : units)
        unit = resizeUnsigned(rewriter, loc, unit, 32);
      units = fromWords(rewriter, loc, units, transfer.element, transfer.count, target);
    }
    rewriter.replaceOpWithMultiple(op, {units});
    return success();
  }
};

struct StorePattern : KernelPattern<simt::StoreOp> {
  using KernelPattern::KernelPattern;
  LogicalResult matchAndRewrite(simt::StoreOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    Transfer transfer(cast<VectorType>(op.getValue().getType()), target);
    Value address = adaptor.getAddress().front();
    SmallVector<Value> units(adaptor.getValue());
    if (transfer.asWords || !transfer.units)
      units = toWords(rewriter, loc, units, transfer.element, target);
    if (transfer.units && transfer.bytes < 4 && transfer.asWords)
      units[0] = resizeUnsigned(rewriter, loc, units[0], 8 * transfer.bytes);
    auto write = [&](OpBuilder &b) -> SmallVector<Value> {
      if (!transfer.units) {
        storePart(b, loc, address, units[0], 8 * transfer.bytes);
        return {};
      }
      unsigned unitBytes = transfer.unit.getIntOrFloatBitWidth() / 8;
      for (auto [start, length] : transfer.pieces()) {
        Value place = address;
        if (start)
          place = spirv::IAddOp::create(b, loc, address,
                                        constantOf(b, loc, b.getI64Type(), start * unitBytes));
        storeGlobal(b, loc, place, composite(b, loc, ValueRange(units).slice(start, length)),
                    length * unitBytes, op.getCache() == tile::CacheModifier::CV);
      }
      return {};
    };
    Value mask = op.getMask() ? adaptor.getMask().front() : Value();
    selectIf(rewriter, loc, kernel, mask, {}, {}, write);
    rewriter.eraseOp(op);
    return success();
  }

  /// The low `bits` of `part`, whose other bits are zero, into the word around `address`: other
  /// threads may write its other parts meanwhile.
  void storePart(OpBuilder &b, Location loc, Value address, Value part, unsigned bits) const {
    Type i32 = b.getI32Type();
    auto [word, shift] = splitAddress(b, loc, address);
    Value moved = spirv::ShiftLeftLogicalOp::create(b, loc, i32, part, shift);
    Value ones = constantOf(b, loc, i32, (int64_t(1) << bits) - 1);
    Value hole =
        spirv::NotOp::create(b, loc, spirv::ShiftLeftLogicalOp::create(b, loc, i32, ones, shift));
    Value pointer = pointerTo(b, loc, word, i32);
    Value expected = makeVariable(b, loc, i32, kernel);
    storeVariable(b, loc, expected, loadGlobal(b, loc, word, i32, 4));
    repeatUntil(b, loc, [&](OpBuilder &b) -> Value {
      Value old = loadVariable(b, loc, expected);
      Value kept = spirv::BitwiseAndOp::create(b, loc, old, hole);
      Value wanted = spirv::BitwiseOrOp::create(b, loc, kept, moved);
      Value found = spirv::AtomicCompareExchangeOp::create(
          b, loc, i32, pointer, spirv::Scope::Device, spirv::MemorySemantics::None,
          spirv::MemorySemantics::None, wanted, old);
      storeVariable(b, loc, expected, found);
      return spirv::IEqualOp::create(b, loc, found, old);
    });
  }
};

struct ProgramIdPattern : KernelPattern<tile::ProgramIdOp> {
  using KernelPattern::KernelPattern;
  LogicalResult matchAndRewrite(tile::ProgramIdOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    rewriter.replaceOp(op, programId(rewriter, op.getLoc(), kernel, op.getAxis()));
    return success();
  }
};

struct NumProgramsPattern : KernelPattern<tile::NumProgramsOp> {
  using KernelPattern::KernelPattern;
  LogicalResult matchAndRewrite(tile::NumProgramsOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    rewriter.replaceOp(op, gridSize(rewriter, op.getLoc(), kernel, op.getAxis()));
    return success();
  }
};

} // namespace

void spirvbackend::populateMemoryPatterns(SPIRVTypeConverter &converter,
                                          RewritePatternSet &patterns, KernelContext &kernel) {
  patterns.add<LoadPattern, StorePattern, ProgramIdPattern, NumProgramsPattern>(converter, kernel);
}
