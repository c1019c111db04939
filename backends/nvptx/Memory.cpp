// Global and shared memory: predicated accesses and those with cache hints, as PTX, whose guards
// need no branch. Plain ones are in backends/llvm.
#include "backends/llvm/MemoryPatterns.h"
#include "backends/nvptx/Patterns.h"
#include "ir/simt/SimtOps.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::nvptx;

namespace {

/// An access's words: PTX moves 1, 2 or 4 registers of 8 to 64 bits.
struct Words {
  unsigned bits, count;
  explicit Words(VectorType type) {
    unsigned total = type.getNumElements() * type.getElementTypeBitWidth();
    unsigned element = type.getElementTypeBitWidth();
    bits = element == 64 ? 64 : std::min(total, 32u);
    count = total / bits;
  }
  std::string suffix() const {
    std::string text = count > 1 ? ".v" + std::to_string(count) : "";
    return text + ".b" + std::to_string(bits);
  }
  /// PTX has no 8-bit registers.
  unsigned registerBits() const { return std::max(bits, 16u); }
  char constraint() const { return bits == 64 ? 'l' : bits == 32 ? 'r' : 'h'; }
};

std::string braces(unsigned first, unsigned count) {
  if (count == 1)
    return "$" + std::to_string(first);
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", $" : "$") + std::to_string(first + i);
  return text + "}";
}

/// What an access says of its place in the caches.
struct CacheHint {
  std::string qualifiers; ///< Between ".global" and the type.
  Value policy;           ///< Of the L2 cache, an operand behind the others; null: none.
};

/// PTX takes a modifier or a policy. The L1 cache takes a word, the L2 cache from sm_80 on an
/// operand, which LLVM and ptxas make once.
CacheHint makeHint(OpBuilder &b, Location loc, tile::CacheModifier modifier,
                   tile::EvictionPolicy policy, bool hasPolicies) {
  if (modifier != tile::CacheModifier::None)
    return {"." + tile::stringifyCacheModifier(modifier).str(), {}};
  if (policy == tile::EvictionPolicy::Normal)
    return {};
  const std::string name = policy == tile::EvictionPolicy::First ? "evict_first" : "evict_last";
  CacheHint hint{".L1::" + name, {}};
  if (hasPolicies) {
    hint.qualifiers += ".L2::cache_hint";
    hint.policy = inlinePtx(b, loc, b.getI64Type(), {},
                            "createpolicy.fractional.L2::" + name + ".b64 $0, 1.0;", "=l", false)
                      .front();
  }
  return hint;
}

struct LoadPattern : ConvertOpToLLVMPattern<simt::LoadOp> {
  LoadPattern(const LLVMTypeConverter &converter, bool hasPolicies)
      : ConvertOpToLLVMPattern(converter), hasPolicies(hasPolicies) {}
  bool hasPolicies;
  LogicalResult matchAndRewrite(simt::LoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    auto type = cast<VectorType>(typeConverter->convertType(op.getType()));
    Words words(type);
    std::string text;
    SmallVector<Value> inputs;
    std::string constraints, inputConstraints;
    unsigned next = words.count;
    Type word = rewriter.getIntegerType(words.registerBits());
    SmallVector<Type> results(words.count, word);
    for (unsigned i = 0; i < words.count; ++i)
      constraints += std::string(i ? ",=" : "=") + words.constraint();
    inputs.push_back(adaptor.getAddress());
    std::string address = "[$" + std::to_string(next++) + "]";
    inputConstraints += ",l";
    std::string guard;
    if (adaptor.getMask()) {
      guard = "@$" + std::to_string(next++) + " ";
      inputs.push_back(adaptor.getMask());
      inputConstraints += ",b";
      SmallVector<Value> others;
      if (adaptor.getOther())
        others = toWords(rewriter, loc, adaptor.getOther(), words.bits);
      for (unsigned i = 0; i < words.count; ++i) {
        std::string source = "0";
        if (!others.empty()) {
          Value other = others[i];
          if (words.bits < 16)
            other = LLVM::ZExtOp::create(rewriter, loc, word, other);
          inputs.push_back(other);
          inputConstraints += std::string(",") + words.constraint();
          source = "$" + std::to_string(next++);
        }
        text += "mov.b" + std::to_string(words.registerBits()) + " $" + std::to_string(i) + ", " +
                source + ";\n\t";
      }
    }
    CacheHint hint;
    if (!op.getIsVolatile())
      hint = makeHint(rewriter, loc, op.getCache(), op.getEvict(), hasPolicies);
    text += guard + "ld" + (op.getIsVolatile() ? ".volatile" : "") + ".global" + hint.qualifiers +
            words.suffix() + " " + braces(0, words.count) + ", " + address;
    if (hint.policy) {
      inputs.push_back(hint.policy);
      inputConstraints += ",l";
      text += ", $" + std::to_string(next++);
    }
    text += ";";
    // Results are written before all inputs are read.
    std::string early;
    for (unsigned i = 0; i < words.count; ++i)
      early += std::string(i ? ",=&" : "=&") + words.constraint();
    SmallVector<Value> loaded =
        inlinePtx(rewriter, loc, results, inputs, text,
                  (adaptor.getMask() ? early : constraints) + inputConstraints, true);
    if (words.bits < 16)
      for (Value &value : loaded)
        value = LLVM::TruncOp::create(rewriter, loc, rewriter.getIntegerType(words.bits), value);
    rewriter.replaceOp(op, fromWords(rewriter, loc, loaded, type));
    return success();
  }
};

struct StorePattern : ConvertOpToLLVMPattern<simt::StoreOp> {
  StorePattern(const LLVMTypeConverter &converter, bool hasPolicies)
      : ConvertOpToLLVMPattern(converter), hasPolicies(hasPolicies) {}
  bool hasPolicies;
  LogicalResult matchAndRewrite(simt::StoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    auto type = cast<VectorType>(adaptor.getValue().getType());
    Words words(type);
    SmallVector<Value> inputs{adaptor.getAddress()};
    std::string constraints = "l", guard;
    for (Value word : toWords(rewriter, loc, adaptor.getValue(), words.bits)) {
      if (words.bits < 16)
        word = LLVM::ZExtOp::create(rewriter, loc, rewriter.getI16Type(), word);
      inputs.push_back(word);
      constraints += std::string(",") + words.constraint();
    }
    if (adaptor.getMask()) {
      guard = "@$" + std::to_string(inputs.size()) + " ";
      inputs.push_back(adaptor.getMask());
      constraints += ",b";
    }
    CacheHint hint = makeHint(rewriter, loc, op.getCache(), op.getEvict(), hasPolicies);
    std::string text =
        guard + "st.global" + hint.qualifiers + words.suffix() + " [$0], " + braces(1, words.count);
    if (hint.policy) {
      text += ", $" + std::to_string(inputs.size());
      inputs.push_back(hint.policy);
      constraints += ",l";
    }
    text += ";";
    inlinePtx(rewriter, loc, {}, inputs, text, constraints, true);
    rewriter.eraseOp(op);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

using llvmbackend::placeInBuffer;

struct SharedStorePattern : ConvertOpToLLVMPattern<simt::SharedStoreOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(simt::SharedStoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    auto type = cast<VectorType>(adaptor.getValue().getType());
    Value pointer = placeInBuffer(rewriter, loc, adaptor.getBuffer(), adaptor.getOffset());
    Words words(type);
    Value address = LLVM::PtrToIntOp::create(rewriter, loc, rewriter.getI32Type(), pointer);
    SmallVector<Value> inputs{address};
    std::string constraints = "r";
    for (Value word : toWords(rewriter, loc, adaptor.getValue(), words.bits)) {
      if (words.bits < 16)
        word = LLVM::ZExtOp::create(rewriter, loc, rewriter.getI16Type(), word);
      inputs.push_back(word);
      constraints += std::string(",") + words.constraint();
    }
    std::string text = "@$" + std::to_string(inputs.size()) + " st.shared" + words.suffix() +
                       " [$0], " + braces(1, words.count) + ";";
    inputs.push_back(adaptor.getMask());
    constraints += ",b,~{memory}";
    inlinePtx(rewriter, loc, {}, inputs, text, constraints, true);
    rewriter.eraseOp(op);
    return success();
  }
};

struct SharedAddPattern : ConvertOpToLLVMPattern<simt::SharedAddOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(simt::SharedAddOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    Value pointer = placeInBuffer(rewriter, loc, adaptor.getBuffer(), adaptor.getOffset());
    Value address = LLVM::PtrToIntOp::create(rewriter, loc, rewriter.getI32Type(), pointer);
    SmallVector<Value> inputs{address, adaptor.getValue()};
    std::string text = "red.shared.add.u32 [$0], $1;", constraints = "r,r";
    if (adaptor.getMask()) {
      inputs.push_back(adaptor.getMask());
      text = "@$2 " + text;
      constraints += ",b";
    }
    inlinePtx(rewriter, loc, {}, inputs, text, constraints + ",~{memory}", true);
    rewriter.eraseOp(op);
    return success();
  }
};

struct LoadMatrixPattern : ConvertOpToLLVMPattern<simt::LoadMatrixOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(simt::LoadMatrixOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    unsigned count = op.getCount();
    Value address = sharedAddress(rewriter, loc, adaptor.getBuffer(), adaptor.getOffset());
    SmallVector<Type> results(count, rewriter.getI32Type());
    std::string constraints;
    for (unsigned i = 0; i < count; ++i)
      constraints += "=r,";
    std::string text = "ldmatrix.sync.aligned.m8n8.x" + std::to_string(count) +
                       (op.getTransposed() ? ".trans" : "") + ".shared.b16 {";
    for (unsigned i = 0; i < count; ++i)
      text += (i ? ", $" : "$") + std::to_string(i);
    text += "}, [$" + std::to_string(count) + "];";
    SmallVector<Value> words =
        inlinePtx(rewriter, loc, results, {address}, text, constraints + "r,~{memory}", true);
    rewriter.replaceOp(op, fromWords(rewriter, loc, words, cast<VectorType>(op.getType())));
    return success();
  }
};

struct AsyncCopyPattern : ConvertOpToLLVMPattern<simt::AsyncCopyOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(simt::AsyncCopyOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    Value address = sharedAddress(rewriter, loc, adaptor.getBuffer(), adaptor.getOffset());
    SmallVector<Value> inputs{address, adaptor.getAddress()};
    std::string bytes = std::to_string(op.getBytes());
    std::string text = "cp.async." + std::string(op.getBytes() == 16 ? "cg" : "ca") +
                       ".shared.global [$0], [$1], " + bytes;
    std::string constraints = "r,l";
    if (adaptor.getMask()) {
      // Fewer source bytes than destination bytes fill the rest with zeros.
      Value size = LLVM::SelectOp::create(rewriter, loc, adaptor.getMask(),
                                          integerConstant(rewriter, loc, 32, op.getBytes()),
                                          integerConstant(rewriter, loc, 32, 0));
      inputs.push_back(size);
      text += ", $2";
      constraints += ",r";
    }
    inlinePtx(rewriter, loc, {}, inputs, text + ";", constraints + ",~{memory}", true);
    rewriter.eraseOp(op);
    return success();
  }
};

struct AsyncCommitPattern : ConvertOpToLLVMPattern<simt::AsyncCommitOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(simt::AsyncCommitOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    inlinePtx(rewriter, op.getLoc(), {}, {}, "cp.async.commit_group;", "~{memory}", true);
    rewriter.eraseOp(op);
    return success();
  }
};

struct AsyncWaitPattern : ConvertOpToLLVMPattern<simt::AsyncWaitOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(simt::AsyncWaitOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    inlinePtx(rewriter, op.getLoc(), {}, {},
              "cp.async.wait_group " + std::to_string(op.getPending()) + ";", "~{memory}", true);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void nvptx::populateMemoryPatterns(LLVMTypeConverter &converter, RewritePatternSet &patterns,
                                   const Architecture &arch) {
  patterns.add<LoadPattern, StorePattern>(converter, arch.info.hasEvictionPolicies);
  patterns.add<SharedStorePattern, SharedAddPattern, LoadMatrixPattern, AsyncCopyPattern,
               AsyncCommitPattern, AsyncWaitPattern>(converter);
}
