// Masked accesses of global memory as buffer instructions: what lies outside of a buffer is read as
// zero and not written, so that a mask is the buffer's size, or an offset that is too large, in
// place of a branch. For addresses whose part that lanes do not have alike is known to be small and
// not negative (Addresses.h); others keep their masks.
#include "backends/amdgpu/Buffers.h"
#include "backends/amdgpu/Addresses.h"
#include "backends/llvm/Builders.h"
#include "backends/llvm/MemoryPatterns.h"
#include "ir/simt/SimtOps.h"
#include "ir/tile/Remarks.h"
#include "ir/tile/SmallMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::amdgpu;

namespace {

/// Bytes of every buffer: as many as leave room for an offset behind it, whatever small number is
/// added to it.
constexpr int64_t kBufferBytes = 0x7ffffffe;
constexpr int64_t kOutside = int64_t(1) << 31;

/// Bytes of a buffer around a pointer into small memory, and an unsigned offset behind it, which
/// leaves room for a small number that is added to it.
constexpr int64_t kAroundBytes = tile::kMostBytesBefore + (int64_t(1) << 31);
constexpr int64_t kOutsideAround = int32_t(kAroundBytes);

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
  BufferAccesses(func::FuncOp kernel, const Architecture &arch, schedule::Choice choice)
      : kernel(kernel), arch(arch), choice(choice), addresses(kernel), b(kernel.getContext()) {}
  void run();

private:
  /// Operands of an instruction.
  struct Place {
    Value buffer, offset;
    bool isBound; ///< The buffer's size is (a part of) the mask.
    Value hints = {};
  };
  /// How many bytes a buffer has, and what of the mask that does not say.
  struct Bound {
    Value bytes;
    SmallVector<Element> others;
  };
  /// How many bytes the elements below the limit take, of `unit` bytes each, and at most `most`.
  Value bytesBelow(Location loc, const LessThan &less, int64_t unit, int64_t most);
  /// Nothing unless a comparison of the mask leaves out what lies behind some byte.
  std::optional<Bound> findBound(Location loc, Value mask, const AddressParts &parts,
                                 int64_t bytes);
  /// Nothing where the address does not allow it.
  template <typename Op> std::optional<Place> place(Op op, VectorType type);
  std::optional<Place> place(Location loc, Value address, Value mask, int64_t bytes);
  /// The same where the memory of the pointer which the address counts from is small.
  std::optional<Place> placeInTensor(Location loc, Value address, Value mask);
  void rewrite(simt::LoadOp op);
  void rewrite(simt::StoreOp op);

  Value number(Location loc, unsigned bits, int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(b.getIntegerType(bits), value));
  }
  /// The scalar of 32 bits, or the truth value, that the element is.
  Value valueOf(Location loc, Element element);
  /// The sum of the terms in an integer type that holds it.
  Value sum(Location loc, ArrayRef<Term> terms, unsigned bits);
  Value makeBuffer(Location loc, Value address, Value bytes);
  /// The offset where the mask holds, else one outside of every buffer.
  Value select(Location loc, Value mask, Value offset, int64_t outside = kOutside) {
    return arith::SelectOp::create(b, loc, mask, offset, number(loc, 32, outside));
  }
  /// A vector of registers as words and back.
  Value toWords(Location loc, Value vector, Type words);
  Value fromWords(Location loc, Value words, VectorType type);

  func::FuncOp kernel;
  const Architecture &arch;
  schedule::Choice choice;
  AddressAnalysis addresses;
  SmallVector<Operation *> replaced;
  OpBuilder b;
};

} // namespace

Value BufferAccesses::valueOf(Location loc, Element element) {
  if (!isa<VectorType>(element.value.getType()))
    return element.value;
  return vector::ToElementsOp::create(b, loc, element.value).getResults()[element.index];
}

Value BufferAccesses::sum(Location loc, ArrayRef<Term> terms, unsigned bits) {
  Type type = b.getIntegerType(bits);
  Value total;
  for (const Term &term : terms) {
    Value value = valueOf(loc, term.element);
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

Value BufferAccesses::makeBuffer(Location loc, Value address, Value bytes) {
  auto global = LLVM::LLVMPointerType::get(b.getContext(), llvmbackend::kGlobalSpace);
  auto resource = LLVM::LLVMPointerType::get(b.getContext(), kBufferSpace);
  Value pointer = LLVM::IntToPtrOp::create(b, loc, global, address);
  return llvmbackend::callIntrinsic(
      b, loc, resource, "llvm.amdgcn.make.buffer.rsrc",
      {pointer, number(loc, 16, 0), bytes, number(loc, 32, descriptionOf(arch.generation))});
}

/// The bytes for one of what the comparison is about, if its varying part is that of the address in
/// other units; 0 otherwise.
static int64_t unitOf(const LessThan &less, const AddressParts &parts) {
  if (less.varying.empty() || less.varying.size() != parts.varying.size())
    return 0;
  const int64_t unit = parts.varying[0].factor / less.varying[0].factor;
  for (auto [own, other] : llvm::zip(less.varying, parts.varying))
    if (own.element.value != other.element.value || own.element.index != other.element.index ||
        own.factor * unit != other.factor)
      return 0;
  return unit > 0 && unit <= 4096 && less.constant * unit == parts.constant ? unit : 0;
}

/// The outermost loop around `op` that computes none of what the comparison is about; `op` if there
/// is none.
static Operation *findPlace(Operation *op, const LessThan &less) {
  Operation *place = op;
  for (Operation *around = op->getParentOp(); !isa<func::FuncOp>(around);
       around = around->getParentOp()) {
    auto isInside = [&](Element element) {
      return around->isAncestor(element.value.getParentBlock()->getParentOp());
    };
    if (isInside(less.limit) || (less.start && isInside(*less.start)))
      break;
    if (isa<LoopLikeOpInterface>(around))
      place = around;
  }
  return place;
}

Value BufferAccesses::bytesBelow(Location loc, const LessThan &less, int64_t unit, int64_t most) {
  // Before loops: LLVM moves no readfirstlane, and makes nothing of it where its operand is in the
  // same block.
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(findPlace(&*b.getInsertionPoint(), less));
  Value limit = valueOf(loc, less.limit);
  Value start = less.start ? valueOf(loc, *less.start) : number(loc, 32, 0);
  // As an unsigned number the difference to a smaller one has room in 32 bits. The choice comes
  // last: of a clamped number LLVM would make a median, which scalar registers cannot hold.
  Value count = arith::MinUIOp::create(b, loc, arith::SubIOp::create(b, loc, limit, start),
                                       number(loc, 32, most));
  Value size = arith::MulIOp::create(b, loc, count, number(loc, 32, unit));
  Value isAbove = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, limit, start);
  size = arith::SelectOp::create(b, loc, isAbove, size, number(loc, 32, 0));
  // Wherever it ends up, the instruction needs it in scalar registers.
  return llvmbackend::callIntrinsic(b, loc, b.getI32Type(), "llvm.amdgcn.readfirstlane", {size});
}

std::optional<BufferAccesses::Bound>
BufferAccesses::findBound(Location loc, Value mask, const AddressParts &parts, int64_t bytes) {
  SmallVector<Element> conjuncts = addresses.conjunctsOf(mask);
  for (auto conjunct = conjuncts.begin(); conjunct != conjuncts.end(); ++conjunct) {
    std::optional<LessThan> less = addresses.splitComparison(*conjunct);
    const int64_t unit = less ? unitOf(*less, parts) : 0;
    if (!unit || (bytes > unit && bytes % unit))
      continue;
    // Of an access to several elements the limit must not be between them.
    const int64_t elements = std::max<int64_t>(bytes / unit, 1);
    const unsigned bits = llvm::Log2_64(elements);
    if (less->constant % elements || !addresses.isMultiple(less->limit, 1, bits) ||
        (less->start && !addresses.isMultiple(*less->start, 1, bits)) ||
        !llvm::all_of(less->varying, [&](const Term &term) {
          return addresses.isMultiple(term.element, term.factor, bits);
        }))
      continue;
    const int64_t most = kBufferBytes / (unit * elements) * elements;
    if (parts.high + parts.constant + bytes > most * unit)
      continue;
    Bound result{bytesBelow(loc, *less, unit, most), {}};
    conjuncts.erase(conjunct);
    result.others = std::move(conjuncts);
    return result;
  }
  return std::nullopt;
}

std::optional<BufferAccesses::Place> BufferAccesses::place(Location loc, Value address, Value mask,
                                                           int64_t bytes) {
  std::optional<AddressParts> parts = addresses.split(address);
  if (!parts || parts->low < 0 || parts->uniform.empty())
    return std::nullopt;
  // Small constants are part of the instruction; they keep what is outside there.
  const bool isPart = parts->constant >= 0 && parts->constant < int64_t(1) << 20;
  const int64_t constant = isPart ? parts->constant : 0;
  if (parts->high > kBufferBytes - bytes - constant)
    return std::nullopt;
  Value base = sum(loc, parts->uniform, 64);
  if (!isPart)
    base = arith::AddIOp::create(b, loc, base, number(loc, 64, parts->constant));
  Value size = number(loc, 64, kBufferBytes), offset = sum(loc, parts->varying, 32);
  SmallVector<Element> masks{{mask}};
  std::optional<Bound> bound = isPart ? findBound(loc, mask, *parts, bytes) : std::nullopt;
  if (bound) {
    size = arith::ExtUIOp::create(b, loc, b.getI64Type(), bound->bytes);
    masks = std::move(bound->others);
  }
  for (Element one : masks)
    offset = select(loc, valueOf(loc, one), offset);
  if (constant)
    offset = arith::AddIOp::create(b, loc, offset, number(loc, 32, constant),
                                   arith::IntegerOverflowFlags::nuw);
  return Place{makeBuffer(loc, base, size), offset, bound.has_value()};
}

std::optional<BufferAccesses::Place> BufferAccesses::placeInTensor(Location loc, Value address,
                                                                   Value mask) {
  auto tensor = dyn_cast_if_present<BlockArgument>(addresses.tensorOf(address));
  if (!tensor || (choice != schedule::Choice::On &&
                  !kernel.getArgAttr(tensor.getArgNumber(), tile::kSmallAttr)))
    return std::nullopt;
  // The pointer may be into the middle of its memory: the buffer begins before it.
  Value base = arith::SubIOp::create(b, loc, tensor, number(loc, 64, tile::kMostBytesBefore));
  Value offset =
      arith::SubIOp::create(b, loc, arith::TruncIOp::create(b, loc, b.getI32Type(), address),
                            arith::TruncIOp::create(b, loc, b.getI32Type(), base));
  return Place{makeBuffer(loc, base, number(loc, 64, kAroundBytes)),
               select(loc, mask, offset, kOutsideAround), false};
}

template <typename Op>
std::optional<BufferAccesses::Place> BufferAccesses::place(Op op, VectorType type) {
  b.setInsertionPoint(op);
  const int64_t bytes = type.getNumElements() * type.getElementTypeBitWidth() / 8;
  std::optional<Place> found = place(op.getLoc(), op.getAddress(), op.getMask(), bytes);
  if (!found)
    found = placeInTensor(op.getLoc(), op.getAddress(), op.getMask());
  if (!found)
    emitRemark(op, RemarkName::MaskedAccessBranches,
               "the masked access is a branch: its offset is not known to be from 0 to 2 GiB");
  else if (found->isBound)
    emitRemark(op, RemarkName::MaskIsBound,
               "the mask of the access is the size of a buffer, which the hardware checks",
               /*isMissed=*/false);
  if (found)
    found->hints = number(op.getLoc(), 32, hintsOf(op.getCache(), op.getEvict(), arch.generation));
  return found;
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

void amdgpu::useBuffers(func::FuncOp kernel, const Architecture &arch, schedule::Choice choice) {
  if (choice != schedule::Choice::Off)
    BufferAccesses(kernel, arch, choice).run();
}
