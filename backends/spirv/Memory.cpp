// Global memory: accesses of up to 128 bits through physical storage buffer pointers. Masks are
// branches; elements of 8 and 16 bits move as 32-bit words wherever there are enough of them, and
// where the device cannot access less than a word, always.
#include "backends/spirv/Patterns.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

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
  Type unit;      ///< The type of the access, as loads return it: a vector or a scalar.
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
    // Narrow accesses only help where there are narrow registers.
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

/// The condition under which every access of a group happens, and whether the others are the same
/// one.
std::pair<Value, bool> commonMask(OpBuilder &b, Location loc, ArrayRef<Value> masks) {
  llvm::SetVector<Value> distinct(masks.begin(), masks.end());
  Value all;
  for (Value mask : distinct)
    all = all ? Value(spirv::LogicalAndOp::create(b, loc, all, mask)) : mask;
  return {all, distinct.size() == 1};
}

/// The elements of a vector of per-thread IR whose definition canHold accepts.
SmallVector<Value> heldElements(Value vector, const Target &target,
                                ConversionPatternRewriter &rewriter) {
  auto type = cast<VectorType>(vector.getType());
  Type held = heldType(type.getElementType(), target);
  SmallVector<Value> operands, result;
  Attribute constant;
  if (matchPattern(vector, m_Constant(&constant))) {
    for (Attribute element : cast<DenseElementsAttr>(constant).getValues<Attribute>())
      result.push_back(constantFrom(rewriter, vector.getLoc(), held, element));
    return result;
  }
  if (auto elements = vector.getDefiningOp<vector::FromElementsOp>())
    operands = SmallVector<Value>(elements.getElements());
  else
    operands.assign(type.getNumElements(), vector.getDefiningOp<vector::BroadcastOp>().getSource());
  if (failed(rewriter.getRemappedValues(operands, result)))
    result.clear();
  return result;
}

/// One load in progress: its operands as they are held.
struct Load {
  simt::LoadOp op;
  Transfer transfer;
  Value address, mask;
  SmallVector<Type> types;     ///< Of what moves.
  SmallVector<Value> defaults; ///< Where the mask is false.

  Load(OpBuilder &b, simt::LoadOp op, Value address, Value mask, ValueRange other,
       const Target &target)
      : op(op), transfer(cast<VectorType>(op.getType()), target), address(address), mask(mask) {
    Location loc = op.getLoc();
    Type i32 = b.getI32Type();
    for (auto [start, length] : transfer.pieces())
      types.push_back(vectorOf(transfer.unit, length));
    if (!transfer.units)
      types.push_back(i32);
    if (!mask)
      return;
    SmallVector<Value> others(other);
    if (!others.empty() && (transfer.asWords || !transfer.units))
      others = toWords(b, loc, others, transfer.element, target);
    if (!others.empty() && transfer.units && transfer.bytes < 4 && transfer.asWords)
      others[0] = resizeUnsigned(b, loc, others[0], 8 * transfer.bytes);
    if (others.empty()) {
      for (Type type : types)
        defaults.push_back(constantOf(b, loc, type, 0));
      return;
    }
    if (!transfer.units)
      defaults.push_back(others[0]);
    for (auto [start, length] : transfer.pieces())
      defaults.push_back(composite(b, loc, ValueRange(others).slice(start, length)));
  }

  SmallVector<Value> read(OpBuilder &b) {
    Location loc = op.getLoc();
    bool isVolatile = op.getIsVolatile() || op.getCache() == tile::CacheModifier::CV;
    if (!transfer.units) {
      Type i32 = b.getI32Type();
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
  }

  /// The elements as they are held.
  SmallVector<Value> unpack(OpBuilder &b, ValueRange loaded, const Target &target) {
    Location loc = op.getLoc();
    SmallVector<Value> units;
    for (Value piece : loaded)
      llvm::append_range(units, elementsOf(b, loc, piece));
    if (!transfer.asWords && transfer.units)
      return units;
    for (Value &unit : units)
      unit = resizeUnsigned(b, loc, unit, 32);
    return fromWords(b, loc, units, transfer.element, transfer.count, target);
  }
};

struct LoadPattern : KernelPattern<simt::LoadOp> {
  using KernelPattern::KernelPattern;
  LogicalResult matchAndRewrite(simt::LoadOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    if (auto group = kernel.groups.find(op); group != kernel.groups.end())
      return loadTogether(group->second, rewriter);
    Value mask = op.getMask() ? adaptor.getMask().front() : Value();
    ValueRange other = op.getOther() ? adaptor.getOther() : ValueRange();
    Load load(rewriter, op, adaptor.getAddress().front(), mask, other, target);
    SmallVector<Value> loaded = selectIf(rewriter, op.getLoc(), kernel, mask, load.types,
                                         load.defaults, [&](OpBuilder &b) { return load.read(b); });
    rewriter.replaceOpWithMultiple(op, {load.unpack(rewriter, loaded, target)});
    return success();
  }

  /// One branch where all masks hold, which is the usual case; one for each load elsewhere.
  LogicalResult loadTogether(ArrayRef<Operation *> group,
                             ConversionPatternRewriter &rewriter) const {
    Location loc = group.front()->getLoc();
    SmallVector<Load> loads;
    SmallVector<Value> masks, defaults;
    SmallVector<Type> types;
    for (Operation *member : group) {
      auto op = cast<simt::LoadOp>(member);
      SmallVector<Value> other;
      if (op.getOther())
        other = heldElements(op.getOther(), target, rewriter);
      Value address = rewriter.getRemappedValue(op.getAddress());
      Value mask = rewriter.getRemappedValue(op.getMask());
      if (!address || !mask)
        return failure();
      loads.emplace_back(rewriter, op, address, mask, other, target);
      masks.push_back(mask);
      llvm::append_range(types, loads.back().types);
      llvm::append_range(defaults, loads.back().defaults);
    }
    auto [all, isSame] = commonMask(rewriter, loc, masks);
    auto readAll = [&](OpBuilder &b) {
      SmallVector<Value> loaded;
      for (Load &load : loads)
        llvm::append_range(loaded, load.read(b));
      return loaded;
    };
    auto readSome = [&](OpBuilder &b) {
      SmallVector<Value> loaded;
      for (Load &load : loads)
        llvm::append_range(loaded,
                           selectIf(b, load.op.getLoc(), kernel, load.mask, load.types,
                                    load.defaults, [&](OpBuilder &b) { return load.read(b); }));
      return loaded;
    };
    SmallVector<Value> loaded =
        isSame ? selectIf(rewriter, loc, kernel, all, types, defaults, readAll)
               : selectIf(rewriter, loc, kernel, all, types, {}, readAll, readSome);
    ValueRange rest(loaded);
    for (Load &load : loads) {
      SmallVector<Value> elements =
          load.unpack(rewriter, rest.take_front(load.types.size()), target);
      rest = rest.drop_front(load.types.size());
      rewriter.replaceOpWithMultiple(load.op, {elements});
    }
    return success();
  }
};

/// One store in progress.
struct Store {
  simt::StoreOp op;
  Transfer transfer;
  Value address, mask;
  SmallVector<Value> units;

  Store(OpBuilder &b, simt::StoreOp op, Value address, Value mask, ValueRange value,
        const Target &target)
      : op(op), transfer(cast<VectorType>(op.getValue().getType()), target), address(address),
        mask(mask), units(value) {
    if (transfer.asWords || !transfer.units)
      units = toWords(b, op.getLoc(), units, transfer.element, target);
    if (transfer.units && transfer.bytes < 4 && transfer.asWords)
      units[0] = resizeUnsigned(b, op.getLoc(), units[0], 8 * transfer.bytes);
  }

  void write(OpBuilder &b, KernelContext &kernel) {
    Location loc = op.getLoc();
    if (!transfer.units)
      return storePart(b, kernel, 8 * transfer.bytes);
    unsigned unitBytes = transfer.unit.getIntOrFloatBitWidth() / 8;
    for (auto [start, length] : transfer.pieces()) {
      Value place = address;
      if (start)
        place = spirv::IAddOp::create(b, loc, address,
                                      constantOf(b, loc, b.getI64Type(), start * unitBytes));
      storeGlobal(b, loc, place, composite(b, loc, ValueRange(units).slice(start, length)),
                  length * unitBytes, op.getCache() == tile::CacheModifier::CV);
    }
  }

  /// The low `bits` of the only unit, whose other bits are zero, into the word around the address:
  /// other threads may write its other parts meanwhile.
  void storePart(OpBuilder &b, KernelContext &kernel, unsigned bits) {
    Location loc = op.getLoc();
    Type i32 = b.getI32Type();
    auto [word, shift] = splitAddress(b, loc, address);
    Value moved = spirv::ShiftLeftLogicalOp::create(b, loc, i32, units[0], shift);
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

struct StorePattern : KernelPattern<simt::StoreOp> {
  using KernelPattern::KernelPattern;
  LogicalResult matchAndRewrite(simt::StoreOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    if (auto group = kernel.groups.find(op); group != kernel.groups.end())
      return storeTogether(group->second, rewriter);
    Value mask = op.getMask() ? adaptor.getMask().front() : Value();
    Store store(rewriter, op, adaptor.getAddress().front(), mask, adaptor.getValue(), target);
    writeIf(rewriter, op.getLoc(), mask, store);
    rewriter.eraseOp(op);
    return success();
  }

  void writeIf(OpBuilder &b, Location loc, Value mask, MutableArrayRef<Store> stores) const {
    selectIf(b, loc, kernel, mask, {}, {}, [&](OpBuilder &b) -> SmallVector<Value> {
      for (Store &store : stores)
        store.write(b, kernel);
      return {};
    });
  }

  LogicalResult storeTogether(ArrayRef<Operation *> group,
                              ConversionPatternRewriter &rewriter) const {
    Location loc = group.front()->getLoc();
    SmallVector<Store> stores;
    SmallVector<Value> masks;
    for (Operation *member : group) {
      auto op = cast<simt::StoreOp>(member);
      SmallVector<Value> value = heldElements(op.getValue(), target, rewriter);
      Value address = rewriter.getRemappedValue(op.getAddress());
      Value mask = rewriter.getRemappedValue(op.getMask());
      if (value.empty() || !address || !mask)
        return failure();
      stores.emplace_back(rewriter, op, address, mask, value, target);
      masks.push_back(mask);
    }
    auto [all, isSame] = commonMask(rewriter, loc, masks);
    if (isSame) {
      writeIf(rewriter, loc, all, stores);
    } else {
      selectIf(
          rewriter, loc, kernel, all, {}, {},
          [&](OpBuilder &b) -> SmallVector<Value> {
            for (Store &store : stores)
              store.write(b, kernel);
            return {};
          },
          [&](OpBuilder &b) -> SmallVector<Value> {
            for (Store &store : stores)
              writeIf(b, store.op.getLoc(), store.mask, store);
            return {};
          });
    }
    for (Operation *member : group)
      rewriter.eraseOp(member);
    return success();
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
