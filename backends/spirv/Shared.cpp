// Shared memory: one arena in Workgroup storage. With an explicit layout there are views of it with
// 8, 16, 32, 64 and 128-bit elements, so that each access is one instruction. Without, it is an
// array of 32-bit words: wide accesses are several, and smaller elements are cut out of a word;
// storing one clears and sets its bits by atomics, because other threads may store to the word's
// other bits at the same time.
#include "backends/spirv/Patterns.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::spirvbackend;

namespace {

constexpr auto kWorkgroup = spirv::StorageClass::Workgroup;

unsigned bytesOf(Type view) {
  auto vector = dyn_cast<VectorType>(view);
  return vector ? vector.getNumElements() * vector.getElementTypeBitWidth() / 8
                : view.getIntOrFloatBitWidth() / 8;
}

/// The integer to which an access of one or two bytes goes; null: to a part of a word.
Type narrowView(OpBuilder &b, const Target &target, unsigned bytes) {
  bool has = bytes == 1 ? target.hasExplicitLayout8 && target.hasInt8
                        : target.hasExplicitLayout16 && target.hasInt16;
  return target.hasExplicitLayout && has ? b.getIntegerType(8 * bytes) : Type();
}

/// Words that one instruction moves: as many as possible of `left`.
unsigned wordsAtOnce(const Target &target, size_t left) {
  return !target.hasExplicitLayout ? 1 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
}

spirv::MemoryAccessAttr accessOf(OpBuilder &b, const Target &target) {
  if (!target.hasMemoryModel)
    return {};
  return spirv::MemoryAccessAttr::get(b.getContext(), spirv::MemoryAccess::NonPrivatePointer);
}

Value loadFrom(OpBuilder &b, Location loc, KernelContext &kernel, Value offset, Type view) {
  return spirv::LoadOp::create(b, loc, sharedPointer(b, loc, kernel, offset, view),
                               accessOf(b, kernel.target), IntegerAttr());
}

void storeTo(OpBuilder &b, Location loc, KernelContext &kernel, Value offset, Value value) {
  Value pointer = sharedPointer(b, loc, kernel, offset, value.getType());
  auto store = spirv::StoreOp::create(b, loc, pointer, value);
  if (auto access = accessOf(b, kernel.target))
    store.setMemoryAccessAttr(access);
}

Value plus(OpBuilder &b, Location loc, Value offset, uint32_t bytes) {
  return bytes ? Value(spirv::IAddOp::create(b, loc, offset,
                                             constantOf(b, loc, offset.getType(), bytes)))
               : offset;
}

/// Bits of the word around a byte offset before that byte.
Value bitsBefore(OpBuilder &b, Location loc, Value offset) {
  Type i32 = b.getI32Type();
  Value byte = spirv::BitwiseAndOp::create(b, loc, offset, constantOf(b, loc, i32, 3));
  return spirv::ShiftLeftLogicalOp::create(b, loc, i32, byte, constantOf(b, loc, i32, 3));
}

/// Bytes of the elements of a vector; each of them is a power of two.
unsigned totalBytes(VectorType type) {
  return type.getNumElements() * simt::getScalarBytes(type.getElementType());
}

struct AllocPattern : KernelPattern<simt::SharedAllocOp> {
  using KernelPattern::KernelPattern;
  LogicalResult matchAndRewrite(simt::SharedAllocOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    int64_t offset = op.getOffset() ? *op.getOffset() : 0;
    rewriter.replaceOp(op, constantOf(rewriter, op.getLoc(), rewriter.getI32Type(), offset));
    return success();
  }
};

struct SharedLoadPattern : KernelPattern<simt::SharedLoadOp> {
  using KernelPattern::KernelPattern;
  LogicalResult matchAndRewrite(simt::SharedLoadOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    auto type = cast<VectorType>(op.getType());
    Type i32 = rewriter.getI32Type();
    unsigned bytes = totalBytes(type);
    Value offset = spirv::IAddOp::create(rewriter, loc, adaptor.getBuffer().front(),
                                         adaptor.getOffset().front());
    SmallVector<Value> words;
    if (bytes >= 4) {
      for (unsigned at = 0, count; at < bytes / 4; at += count) {
        count = wordsAtOnce(target, bytes / 4 - at);
        Type view = count == 1 ? i32 : Type(VectorType::get({int64_t(count)}, i32));
        Value loaded = loadFrom(rewriter, loc, kernel, plus(rewriter, loc, offset, at * 4), view);
        llvm::append_range(words, elementsOf(rewriter, loc, loaded));
      }
    } else if (Type view = narrowView(rewriter, target, bytes)) {
      Value loaded = loadFrom(rewriter, loc, kernel, offset, view);
      words.push_back(resizeUnsigned(rewriter, loc, loaded, 32));
    } else {
      Value word = loadFrom(rewriter, loc, kernel, offset, i32);
      word = spirv::ShiftRightLogicalOp::create(rewriter, loc, i32, word,
                                                bitsBefore(rewriter, loc, offset));
      int64_t mask = (int64_t(1) << (8 * bytes)) - 1;
      words.push_back(
          spirv::BitwiseAndOp::create(rewriter, loc, word, constantOf(rewriter, loc, i32, mask)));
    }
    SmallVector<Value> elements = fromWords(rewriter, loc, words, type.getElementType(),
                                            unsigned(type.getNumElements()), target);
    rewriter.replaceOpWithMultiple(op, {ValueRange(elements)});
    return success();
  }
};

struct SharedStorePattern : KernelPattern<simt::SharedStoreOp> {
  using KernelPattern::KernelPattern;
  LogicalResult matchAndRewrite(simt::SharedStoreOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    auto type = cast<VectorType>(op.getValue().getType());
    unsigned bytes = totalBytes(type);
    Value offset = spirv::IAddOp::create(rewriter, loc, adaptor.getBuffer().front(),
                                         adaptor.getOffset().front());
    SmallVector<Value> words =
        toWords(rewriter, loc, adaptor.getValue(), type.getElementType(), target);
    Value mask = op.getMask() ? adaptor.getMask().front() : Value();
    selectIf(rewriter, loc, kernel, mask, {}, {}, [&](OpBuilder &b) -> SmallVector<Value> {
      if (bytes >= 4) {
        ValueRange rest(words);
        for (unsigned at = 0, count; at < words.size(); at += count) {
          count = wordsAtOnce(target, words.size() - at);
          storeTo(b, loc, kernel, plus(b, loc, offset, at * 4),
                  composite(b, loc, rest.slice(at, count)));
        }
      } else if (narrowView(rewriter, target, bytes)) {
        storeTo(b, loc, kernel, offset, resizeUnsigned(b, loc, words[0], 8 * bytes));
      } else {
        storePart(b, loc, offset, words[0], bytes);
      }
      return {};
    });
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Replaces `bytes` bytes of a word by the low ones of `value`, whose others are 0.
  void storePart(OpBuilder &b, Location loc, Value offset, Value value, unsigned bytes) const {
    Type i32 = b.getI32Type();
    Value shift = bitsBefore(b, loc, offset);
    int64_t mask = (int64_t(1) << (8 * bytes)) - 1;
    Value own =
        spirv::ShiftLeftLogicalOp::create(b, loc, i32, constantOf(b, loc, i32, mask), shift);
    Value placed = spirv::ShiftLeftLogicalOp::create(b, loc, i32, value, shift);
    Value pointer = sharedPointer(b, loc, kernel, offset, i32);
    spirv::AtomicAndOp::create(b, loc, i32, pointer, spirv::Scope::Workgroup,
                               spirv::MemorySemantics::None, spirv::NotOp::create(b, loc, own));
    spirv::AtomicOrOp::create(b, loc, i32, pointer, spirv::Scope::Workgroup,
                              spirv::MemorySemantics::None, placed);
  }
};

struct SharedAddPattern : KernelPattern<simt::SharedAddOp> {
  using KernelPattern::KernelPattern;
  LogicalResult matchAndRewrite(simt::SharedAddOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    Value offset = spirv::IAddOp::create(rewriter, loc, adaptor.getBuffer(), adaptor.getOffset());
    selectIf(rewriter, loc, kernel, adaptor.getMask(), {}, {},
             [&](OpBuilder &b) -> SmallVector<Value> {
               Type i32 = b.getI32Type();
               spirv::AtomicIAddOp::create(b, loc, i32, sharedPointer(b, loc, kernel, offset, i32),
                                           spirv::Scope::Workgroup, spirv::MemorySemantics::None,
                                           adaptor.getValue());
               return {};
             });
    rewriter.eraseOp(op);
    return success();
  }
};

/// `offset` without the constants that are added to it; their sum is added to `fixed`.
Value splitConstant(Value offset, int64_t &fixed) {
  while (auto sum = offset.getDefiningOp<spirv::IAddOp>()) {
    IntegerAttr constant;
    if (matchPattern(sum.getOperand2(), m_Constant(&constant)))
      offset = sum.getOperand1();
    else if (matchPattern(sum.getOperand1(), m_Constant(&constant)))
      offset = sum.getOperand2();
    else
      break;
    fixed += constant.getInt();
  }
  return offset;
}

} // namespace

Value spirvbackend::sharedPointer(OpBuilder &b, Location loc, KernelContext &kernel, Value offset,
                                  Type view) {
  Type i32 = b.getI32Type();
  bool isExplicit = kernel.target.hasExplicitLayout;
  assert((isExplicit || view == i32) && "a view needs an explicit layout");
  unsigned bytes = bytesOf(view);
  // A multiple of all views' sizes.
  unsigned count = unsigned(llvm::alignTo(std::max<uint64_t>(kernel.sharedBytes, 1), 16) / bytes);
  // Constants stay apart from the variable part, so that accesses at fixed distances share one
  // address.
  int64_t fixed = 0;
  Value place = splitConstant(offset, fixed);
  if (fixed % bytes)
    place = offset, fixed = 0;
  if (bytes > 1)
    place = spirv::ShiftRightLogicalOp::create(b, loc, i32, place,
                                               constantOf(b, loc, i32, llvm::Log2_32(bytes)));
  place = plus(b, loc, place, uint32_t(fixed / bytes));
  Type block = spirv::ArrayType::get(view, count, isExplicit ? bytes : 0);
  SmallVector<Value> indices{place};
  if (isExplicit) {
    block = spirv::StructType::get(
        {block}, spirv::StructType::OffsetInfo{0}, {},
        spirv::StructType::StructDecorationInfo(spirv::Decoration::Block, b.getUnitAttr()));
    indices.insert(indices.begin(), constantOf(b, loc, i32, 0));
  }
  spirv::GlobalVariableOp arena =
      globalVariable(kernel, "tilerun_shared" + std::to_string(8 * bytes),
                     spirv::PointerType::get(block, kWorkgroup));
  if (isExplicit)
    arena->setAttr("aliased", b.getUnitAttr());
  return spirv::AccessChainOp::create(b, loc, addressOf(b, loc, arena), indices);
}

void spirvbackend::populateSharedPatterns(SPIRVTypeConverter &converter,
                                          RewritePatternSet &patterns, KernelContext &kernel) {
  patterns.add<AllocPattern, SharedLoadPattern, SharedStorePattern, SharedAddPattern>(converter,
                                                                                      kernel);
}
