// See Copies.h.
#include "backends/amdgpu/Copies.h"
#include "backends/amdgpu/Patterns.h"
#include "backends/llvm/MemoryPatterns.h"
#include "ir/simt/SimtOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::amdgpu;

/// Of a wait: how many instructions may be left.
static constexpr StringLiteral kLeftAttr("amdgpu.left");
static constexpr StringLiteral kZerosName("tilerun_zeros");
/// Of a copy: it is the first, or the last, of a run.
static constexpr StringLiteral kFirstAttr("amdgpu.first"), kLastAttr("amdgpu.last");
/// The most that the field of a wait for accesses of global memory holds.
static constexpr unsigned kMostLeft = 63;
/// The field of a wait for shared memory that waits for nothing.
static constexpr unsigned kAnyShared = 15;

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

/// The least number of instructions in a group; 0 if a copy is not in the block that ends its group
/// and may be left out.
static unsigned fewestOfGroup(func::FuncOp kernel) {
  size_t all = 0, inGroups = 0;
  unsigned fewest = kMostLeft;
  kernel.walk([&](simt::AsyncCopyOp) { ++all; });
  kernel.walk([&](simt::AsyncCommitOp commit) {
    unsigned count = 0;
    for (Operation *op = commit->getPrevNode(); op && !isa<simt::AsyncCommitOp>(op);
         op = op->getPrevNode())
      count += isa<simt::AsyncCopyOp>(op);
    inGroups += count;
    fewest = std::min(fewest, count);
  });
  return inGroups == all ? fewest : 0;
}

/// Whether `op` may be between two copies of a run: it does not go to shared memory or its
/// crossbar.
static bool isArithmetic(Operation *op) {
  return isa<arith::ArithDialect, vector::VectorDialect>(op->getDialect()) &&
         op->getNumRegions() == 0;
}

/// Marks where runs of copies begin and end.
static void markRuns(func::FuncOp kernel) {
  const UnitAttr marked = UnitAttr::get(kernel.getContext());
  kernel.walk([&](Block *block) {
    simt::AsyncCopyOp last;
    for (Operation &op : *block) {
      auto copy = dyn_cast<simt::AsyncCopyOp>(op);
      if (copy && !last)
        copy->setAttr(kFirstAttr, marked);
      if (!copy && last && !isArithmetic(&op))
        std::exchange(last, {})->setAttr(kLastAttr, marked);
      if (copy)
        last = copy;
    }
    if (last)
      last->setAttr(kLastAttr, marked);
  });
}

void amdgpu::countCopies(func::FuncOp kernel) {
  markRuns(kernel);
  const unsigned fewest = fewestOfGroup(kernel);
  kernel.walk([&](simt::AsyncWaitOp wait) {
    wait->setAttr(kLeftAttr, Builder(wait.getContext())
                                 .getI32IntegerAttr(std::min<uint64_t>(
                                     kMostLeft, uint64_t(wait.getPending()) * fewest)));
  });
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

void amdgpu::createZeros(ModuleOp module) {
  WalkResult masked = module.walk([](simt::AsyncCopyOp copy) {
    return copy.getMask() ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (!masked.wasInterrupted())
    return;
  OpBuilder b(module.getBodyRegion());
  auto type = RankedTensorType::get({16}, b.getI8Type());
  LLVM::GlobalOp::create(b, module.getLoc(), LLVM::LLVMArrayType::get(b.getI8Type(), 16),
                         /*isConstant=*/true, LLVM::Linkage::Internal, kZerosName,
                         DenseElementsAttr::get(type, int8_t(0)), /*alignment=*/16,
                         llvmbackend::kGlobalSpace);
}

/// gfx9: global memory in bits 0 to 3 and 14 to 15, shared memory in 8 to 11; exports (4 to 6) are
/// not waited for.
static void createWait(OpBuilder &b, Location loc, unsigned leftGlobal, unsigned leftShared) {
  const unsigned fields = (leftGlobal & 15) | 7u << 4 | leftShared << 8 | leftGlobal >> 4 << 14;
  callIntrinsic(b, loc, {}, "llvm.amdgcn.s.waitcnt", {integerConstant(b, loc, 32, fields)});
}

/// Nothing that the code generator moves crosses it.
static void createBoundary(OpBuilder &b, Location loc) {
  callIntrinsic(b, loc, {}, "llvm.amdgcn.sched.barrier", {integerConstant(b, loc, 32, 0)});
}

namespace {

/// LLVM 22 takes copies for accesses of shared memory that raise its counter, too, which they do
/// not (mended in LLVM 23: llvm-project pull request 179305). A wait for a read that was under way
/// when a copy began would let one more read be under way for each copy, that one perhaps. So none
/// is: a run of copies begins with a wait for all of them, and no other moves into it.
struct AsyncCopyPattern : ConvertOpToLLVMPattern<simt::AsyncCopyOp> {
  AsyncCopyPattern(const LLVMTypeConverter &converter, const Architecture &arch)
      : ConvertOpToLLVMPattern(converter), arch(arch) {}

  LogicalResult matchAndRewrite(simt::AsyncCopyOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    const uint32_t bytes = op.getBytes();
    if (!arch.info.hasAsyncCopy || (bytes != 4 && bytes != 16))
      return op.emitError() << arch.info.name << " has no asynchronous copies of " << bytes
                            << " bytes";
    Value from = llvmbackend::toGlobalPointer(rewriter, loc, adaptor.getAddress());
    if (Value mask = adaptor.getMask()) {
      Value zeros = LLVM::AddressOfOp::create(rewriter, loc, from.getType(), kZerosName);
      from = LLVM::SelectOp::create(rewriter, loc, mask, from, zeros);
    }
    if (op->hasAttr(kFirstAttr)) {
      createBoundary(rewriter, loc);
      createWait(rewriter, loc, kMostLeft, /*leftShared=*/0);
    }
    // The first lane's place is the wave's; the other lanes follow it.
    Value first = callIntrinsic(rewriter, loc, rewriter.getI32Type(),
                                "llvm.amdgcn.readfirstlane.i32", {adaptor.getOffset()});
    Value to = llvmbackend::placeInBuffer(rewriter, loc, adaptor.getBuffer(), first);
    auto number = [&](uint32_t value) { return integerConstant(rewriter, loc, 32, value); };
    callIntrinsic(rewriter, loc, {}, "llvm.amdgcn.global.load.lds",
                  {from, to, number(bytes), number(0), number(0)});
    if (op->hasAttr(kLastAttr))
      createBoundary(rewriter, loc);
    rewriter.eraseOp(op);
    return success();
  }

private:
  const Architecture &arch;
};

struct AsyncCommitPattern : ConvertOpToLLVMPattern<simt::AsyncCommitOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(simt::AsyncCommitOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    rewriter.eraseOp(op);
    return success();
  }
};

struct AsyncWaitPattern : ConvertOpToLLVMPattern<simt::AsyncWaitOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(simt::AsyncWaitOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    auto counted = op->getAttrOfType<IntegerAttr>(kLeftAttr);
    createWait(rewriter, op.getLoc(), counted ? unsigned(counted.getInt()) : 0, kAnyShared);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void amdgpu::populateCopyPatterns(LLVMTypeConverter &converter, RewritePatternSet &patterns,
                                  const Architecture &arch) {
  patterns.add<AsyncCopyPattern>(converter, arch);
  patterns.add<AsyncCommitPattern, AsyncWaitPattern>(converter);
}

//===----------------------------------------------------------------------===//
// Aliases
//===----------------------------------------------------------------------===//

/// Whether an instruction reads or writes shared memory.
static bool accessesShared(const llvm::Instruction &instruction) {
  if (const llvm::Value *pointer = llvm::getLoadStorePointerOperand(&instruction))
    return pointer->getType()->getPointerAddressSpace() == llvmbackend::kSharedSpace;
  if (const auto *atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
    return atomic->getPointerAddressSpace() == llvmbackend::kSharedSpace;
  const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return call && call->getIntrinsicID() != llvm::Intrinsic::amdgcn_global_load_lds &&
         llvm::any_of(call->args(), [](const llvm::Use &argument) {
           llvm::Type *type = argument->getType();
           return type->isPointerTy() &&
                  type->getPointerAddressSpace() == llvmbackend::kSharedSpace;
         });
}

void amdgpu::separateCopies(llvm::Module &module) {
  SmallVector<llvm::Instruction *> copies, others;
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : block) {
        const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        if (call && call->getIntrinsicID() == llvm::Intrinsic::amdgcn_global_load_lds)
          copies.push_back(&instruction);
        else if (accessesShared(instruction))
          others.push_back(&instruction);
      }
  if (copies.empty())
    return;
  llvm::MDBuilder metadata(module.getContext());
  llvm::MDNode *domain = metadata.createAnonymousAliasScopeDomain("shared memory");
  llvm::MDNode *scope = metadata.createAnonymousAliasScope(domain, "copies");
  llvm::MDNode *scopes = llvm::MDNode::get(module.getContext(), scope);
  for (llvm::Instruction *copy : copies)
    copy->setMetadata(llvm::LLVMContext::MD_alias_scope, scopes);
  for (llvm::Instruction *other : others)
    other->setMetadata(llvm::LLVMContext::MD_noalias, scopes);
}
