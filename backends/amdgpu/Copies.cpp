// See Copies.h.
#include "backends/amdgpu/Copies.h"
#include "backends/amdgpu/Patterns.h"
#include "backends/llvm/MemoryPatterns.h"
#include "ir/simt/SimtOps.h"

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
/// The most that the field of a wait holds.
static constexpr unsigned kMostLeft = 63;

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

void amdgpu::countCopies(func::FuncOp kernel) {
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

namespace {

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
    // The first lane's place is the wave's; the other lanes follow it.
    Value first = callIntrinsic(rewriter, loc, rewriter.getI32Type(),
                                "llvm.amdgcn.readfirstlane.i32", {adaptor.getOffset()});
    Value to = llvmbackend::placeInBuffer(rewriter, loc, adaptor.getBuffer(), first);
    auto number = [&](uint32_t value) { return integerConstant(rewriter, loc, 32, value); };
    callIntrinsic(rewriter, loc, {}, "llvm.amdgcn.global.load.lds",
                  {from, to, number(bytes), number(0), number(0)});
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
    const unsigned left = counted ? unsigned(counted.getInt()) : 0;
    // gfx9: vmcnt in bits 0 to 3 and 14 to 15; exports (4 to 6) and shared memory (8 to 11) are not
    // waited for.
    const unsigned fields = (left & 15) | 7u << 4 | 15u << 8 | left >> 4 << 14;
    callIntrinsic(rewriter, op.getLoc(), {}, "llvm.amdgcn.s.waitcnt",
                  {integerConstant(rewriter, op.getLoc(), 32, fields)});
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
