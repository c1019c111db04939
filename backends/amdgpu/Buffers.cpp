// Masked accesses of global memory as buffer instructions: what lies outside of a buffer is read as
// zero and not written, so that a mask is an offset that is too large in place of a branch. For
// addresses whose part that lanes do not have alike is known to be small and not negative
// (Addresses.h); others keep their masks.
#include "backends/amdgpu/Buffers.h"
#include "backends/amdgpu/Addresses.h"
#include "backends/llvm/Builders.h"
#include "backends/llvm/MemoryPatterns.h"
#include "ir/simt/SimtOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::amdgpu;

namespace {

/// Bytes of every buffer: as many as leave room for an offset behind it, whatever small number is
/// added to it.
constexpr int64_t kBufferBytes = 0x7ffffffe;
constexpr int64_t kOutside = int64_t(1) << 31;

/// LLVM's address space of the descriptions of buffers.
constexpr unsigned kBufferSpace = 8;

/// The last word of a buffer's description: bytes, not formatted, not swizzled; from gfx10.3 on
/// also that bounds are those of bytes.
int64_t descriptionOf(Generation generation) {
  return generation <= Generation::Cdna4 ? 0x27000 : 0x31027000;
}

/// What an access says to the caches: of data without further use, or of data that is read again,
/// for which only gfx12 has a word.
int64_t hintsOf(tile::CacheModifier cache, tile::EvictionPolicy evict, Generation generation) {
  if (!isStreaming(cache, evict)) // The temporal hint "high temporal".
    return evict == tile::EvictionPolicy::Last && generation == Generation::Rdna4 ? 2 : 0;
  switch (generation) {
  case Generation::Cdna2: // slc
  case Generation::Cdna3: // nt
  case Generation::Cdna4:
    return 2;
  case Generation::Rdna2: // slc, dlc
  case Generation::Rdna3:
    return 6;
  case Generation::Rdna4: // The temporal hint "non-temporal".
    return 1;
  }
  llvm_unreachable("unknown generation");
}

/// What the instructions move in place of a vector; null for widths that they do not have.
Type wordsOf(VectorType type) {
  Builder b(type.getContext());
  const unsigned element = type.getElementTypeBitWidth();
  const int64_t bits = type.getNumElements() * element;
  switch (element < 8 ? 0 : bits) {
  case 8:
  case 16:
  case 32:
    return b.getIntegerType(bits);
  case 64:
  case 128:
    return VectorType::get({bits / 32}, b.getI32Type());
  default:
    return {};
  }
}

class BufferAccesses {
public:
  BufferAccesses(func::FuncOp kernel, const Architecture &arch)
      : kernel(kernel), arch(arch), addresses(kernel), b(kernel.getContext()) {}
  void run();

private:
  /// Operands of an instruction.
  struct Place {
    Value buffer, offset, hints;
  };
  /// Nothing where the address does not allow it.
  template <typename Op> std::optional<Place> place(Op op, VectorType type);
  void rewrite(simt::LoadOp op);
  void rewrite(simt::StoreOp op);

  Value number(Location loc, unsigned bits, int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(b.getIntegerType(bits), value));
  }
  /// The sum of the terms in an integer type that holds it.
  Value sum(Location loc, ArrayRef<Term> terms, unsigned bits);
  /// A vector of registers as words and back.
  Value toWords(Location loc, Value vector, Type words);
  Value fromWords(Location loc, Value words, VectorType type);

  func::FuncOp kernel;
  const Architecture &arch;
  AddressAnalysis addresses;
  SmallVector<Operation *> replaced;
  OpBuilder b;
};

} // namespace

Value BufferAccesses::sum(Location loc, ArrayRef<Term> terms, unsigned bits) {
  Type type = b.getIntegerType(bits);
  Value total;
  for (const Term &term : terms) {
    Value value = term.element.value;
    if (isa<VectorType>(value.getType()))
      value = vector::ToElementsOp::create(b, loc, value).getResults()[term.element.index];
    const unsigned width = value.getType().getIntOrFloatBitWidth();
    if (width < bits)
      value = arith::ExtSIOp::create(b, loc, type, value);
    else if (width > bits)
      value = arith::TruncIOp::create(b, loc, type, value);
    if (term.factor != 1)
      value = arith::MulIOp::create(b, loc, value, number(loc, bits, term.factor));
    total = total ? arith::AddIOp::create(b, loc, total, value).getResult() : value;
  }
  return total ? total : number(loc, bits, 0);
}

template <typename Op>
std::optional<BufferAccesses::Place> BufferAccesses::place(Op op, VectorType type) {
  std::optional<AddressParts> parts = addresses.split(op.getAddress());
  if (!parts || parts->low < 0 || parts->uniform.empty())
    return std::nullopt;
  // Small constants are part of the instruction; they keep what is outside there.
  const int64_t bytes = type.getNumElements() * type.getElementTypeBitWidth() / 8;
  const bool isPart = parts->constant >= 0 && parts->constant < int64_t(1) << 20;
  const int64_t constant = isPart ? parts->constant : 0;
  if (parts->high > kBufferBytes - bytes - constant)
    return std::nullopt;
  Location loc = op.getLoc();
  b.setInsertionPoint(op);
  Value base = sum(loc, parts->uniform, 64);
  if (!isPart)
    base = arith::AddIOp::create(b, loc, base, number(loc, 64, parts->constant));
  auto global = LLVM::LLVMPointerType::get(b.getContext(), llvmbackend::kGlobalSpace);
  auto resource = LLVM::LLVMPointerType::get(b.getContext(), kBufferSpace);
  Value pointer = LLVM::IntToPtrOp::create(b, loc, global, base);
  Value buffer =
      llvmbackend::callIntrinsic(b, loc, resource, "llvm.amdgcn.make.buffer.rsrc",
                                 {pointer, number(loc, 16, 0), number(loc, 64, kBufferBytes),
                                  number(loc, 32, descriptionOf(arch.generation))});
  Value offset = sum(loc, parts->varying, 32);
  offset = arith::SelectOp::create(b, loc, op.getMask(), offset, number(loc, 32, kOutside));
  if (constant)
    offset = arith::AddIOp::create(b, loc, offset, number(loc, 32, constant),
                                   arith::IntegerOverflowFlags::nuw);
  return Place{buffer, offset,
               number(loc, 32, hintsOf(op.getCache(), op.getEvict(), arch.generation))};
}

Value BufferAccesses::toWords(Location loc, Value vector, Type words) {
  auto type = cast<VectorType>(vector.getType());
  // LLVM has no 8-bit floats.
  if (type.getElementTypeBitWidth() == 8 && !type.getElementType().isInteger())
    vector = vector::BitCastOp::create(b, loc, type.clone(b.getI8Type()), vector);
  return LLVM::BitcastOp::create(b, loc, words, vector);
}

Value BufferAccesses::fromWords(Location loc, Value words, VectorType type) {
  if (type.getElementTypeBitWidth() > 8 || type.getElementType().isInteger())
    return LLVM::BitcastOp::create(b, loc, type, words);
  Value bytes = LLVM::BitcastOp::create(b, loc, type.clone(b.getI8Type()), words);
  return vector::BitCastOp::create(b, loc, type, bytes);
}

void BufferAccesses::rewrite(simt::LoadOp op) {
  auto type = cast<VectorType>(op.getType());
  Type words = wordsOf(type);
  if (!op.getMask() || op.getIsVolatile() || op.getCache() == tile::CacheModifier::CV || !words)
    return;
  std::optional<Place> at = place(op, type);
  if (!at)
    return;
  Location loc = op.getLoc();
  Value loaded =
      llvmbackend::callIntrinsic(b, loc, words, "llvm.amdgcn.raw.ptr.buffer.load",
                                 {at->buffer, at->offset, number(loc, 32, 0), at->hints});
  Value result = fromWords(loc, loaded, type);
  if (op.getOther() && !addresses.isZero(op.getOther()))
    result = arith::SelectOp::create(b, loc, op.getMask(), result, op.getOther());
  op.replaceAllUsesWith(result);
  replaced.push_back(op);
}

void BufferAccesses::rewrite(simt::StoreOp op) {
  auto type = cast<VectorType>(op.getValue().getType());
  Type words = wordsOf(type);
  if (!op.getMask() || op.getCache() == tile::CacheModifier::WT || !words)
    return;
  std::optional<Place> at = place(op, type);
  if (!at)
    return;
  Location loc = op.getLoc();
  llvmbackend::callIntrinsic(
      b, loc, {}, "llvm.amdgcn.raw.ptr.buffer.store",
      {toWords(loc, op.getValue(), words), at->buffer, at->offset, number(loc, 32, 0), at->hints});
  replaced.push_back(op);
}

void BufferAccesses::run() {
  SmallVector<Operation *> accesses;
  kernel.walk([&](Operation *op) {
    if (isa<simt::LoadOp, simt::StoreOp>(op))
      accesses.push_back(op);
  });
  for (Operation *op : accesses) {
    if (auto load = dyn_cast<simt::LoadOp>(op))
      rewrite(load);
    else
      rewrite(cast<simt::StoreOp>(op));
  }
  // Not before: the analysis knows values by their addresses.
  for (Operation *op : replaced)
    op->erase();
}

void amdgpu::useBuffers(func::FuncOp kernel, const Architecture &arch) {
  BufferAccesses(kernel, arch).run();
}
