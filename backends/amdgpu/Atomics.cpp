// Atomics of global memory, as LLVM's; masks are branches by now. LLVM makes loops of compare and
// swap of those that the hardware lacks.
#include "backends/amdgpu/Atomics.h"
#include "backends/amdgpu/Patterns.h"
#include "backends/llvm/MemoryPatterns.h"
#include "ir/simt/SimtOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::amdgpu;
using tile::AtomicKind;

namespace {

/// Orders of one address space: an atomic of global memory orders nothing of shared memory, which
/// barriers do.
StringRef getScope(tile::MemScope scope) {
  switch (scope) {
  case tile::MemScope::CTA:
    return "workgroup-one-as";
  case tile::MemScope::GPU:
    return "agent-one-as";
  case tile::MemScope::System:
    return "one-as";
  }
  return "one-as";
}

LLVM::AtomicOrdering getOrdering(tile::MemSemantic sem) {
  switch (sem) {
  case tile::MemSemantic::Relaxed:
    return LLVM::AtomicOrdering::monotonic;
  case tile::MemSemantic::Acquire:
    return LLVM::AtomicOrdering::acquire;
  case tile::MemSemantic::Release:
    return LLVM::AtomicOrdering::release;
  case tile::MemSemantic::AcquireRelease:
    return LLVM::AtomicOrdering::acq_rel;
  }
  return LLVM::AtomicOrdering::acq_rel;
}

LLVM::AtomicBinOp getOperation(AtomicKind kind) {
  switch (kind) {
  case AtomicKind::And:
    return LLVM::AtomicBinOp::_and;
  case AtomicKind::Or:
    return LLVM::AtomicBinOp::_or;
  case AtomicKind::Xor:
    return LLVM::AtomicBinOp::_xor;
  case AtomicKind::Add:
    return LLVM::AtomicBinOp::add;
  case AtomicKind::FAdd:
    return LLVM::AtomicBinOp::fadd;
  case AtomicKind::Max:
    return LLVM::AtomicBinOp::max;
  case AtomicKind::Min:
    return LLVM::AtomicBinOp::min;
  case AtomicKind::UMax:
    return LLVM::AtomicBinOp::umax;
  case AtomicKind::UMin:
    return LLVM::AtomicBinOp::umin;
  case AtomicKind::FMax:
  case AtomicKind::FMin: // Split by splitFloatExtrema.
  case AtomicKind::Xchg:
    break;
  }
  return LLVM::AtomicBinOp::xchg;
}

struct AtomicRMWPattern : ConvertOpToLLVMPattern<simt::AtomicRMWOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(simt::AtomicRMWOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    Value value = adaptor.getValue();
    Type type = value.getType(), held = type;
    if (op.getKind() == AtomicKind::Xchg)
      held = rewriter.getIntegerType(type.getIntOrFloatBitWidth());
    if (held != type)
      value = LLVM::BitcastOp::create(rewriter, loc, held, value);
    Value pointer = llvmbackend::toGlobalPointer(rewriter, loc, adaptor.getAddress());
    Value result =
        LLVM::AtomicRMWOp::create(rewriter, loc, getOperation(op.getKind()), pointer, value,
                                  getOrdering(op.getSem()), getScope(op.getScope()));
    if (held != type)
      result = LLVM::BitcastOp::create(rewriter, loc, type, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct AtomicCASPattern : ConvertOpToLLVMPattern<simt::AtomicCASOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(simt::AtomicCASOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    LLVM::AtomicOrdering ordering = getOrdering(op.getSem());
    bool acquires =
        ordering == LLVM::AtomicOrdering::acquire || ordering == LLVM::AtomicOrdering::acq_rel;
    Value pointer = llvmbackend::toGlobalPointer(rewriter, loc, adaptor.getAddress());
    Value pair = LLVM::AtomicCmpXchgOp::create(
        rewriter, loc, pointer, adaptor.getCompare(), adaptor.getValue(), ordering,
        acquires ? LLVM::AtomicOrdering::acquire : LLVM::AtomicOrdering::monotonic,
        getScope(op.getScope()));
    rewriter.replaceOpWithNewOp<LLVM::ExtractValueOp>(op, pair, ArrayRef<int64_t>{0});
    return success();
  }
};

} // namespace

void amdgpu::splitFloatExtrema(func::FuncOp kernel) {
  SmallVector<simt::AtomicRMWOp> found;
  kernel.walk([&](simt::AtomicRMWOp op) {
    if (op.getKind() == AtomicKind::FMax || op.getKind() == AtomicKind::FMin)
      found.push_back(op);
  });
  for (simt::AtomicRMWOp op : found) {
    Location loc = op.getLoc();
    OpBuilder b(op);
    Type type = op.getType(), integer = b.getIntegerType(type.getIntOrFloatBitWidth());
    const bool isMax = op.getKind() == AtomicKind::FMax;
    Value bits = arith::BitcastOp::create(b, loc, integer, op.getValue());
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(integer));
    // As integers floats are ordered by magnitude: ascending for positive ones, descending else.
    Value isPositive = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, bits, zero);
    auto branch = scf::IfOp::create(b, loc, TypeRange{integer}, isPositive, true);
    auto issue = [&](Block *block, AtomicKind kind) {
      b.setInsertionPointToStart(block);
      Value result = simt::AtomicRMWOp::create(b, loc, integer, kind, op.getAddress(), bits,
                                               op.getMask(), op.getSem(), op.getScope());
      scf::YieldOp::create(b, loc, result);
    };
    issue(branch.thenBlock(), isMax ? AtomicKind::Max : AtomicKind::Min);
    issue(branch.elseBlock(), isMax ? AtomicKind::UMin : AtomicKind::UMax);
    b.setInsertionPoint(op);
    op.replaceAllUsesWith(arith::BitcastOp::create(b, loc, type, branch.getResult(0)).getResult());
    op.erase();
  }
}

void amdgpu::permitHardwareAtomics(llvm::Module &module) {
  llvm::LLVMContext &context = module.getContext();
  llvm::MDNode *yes = llvm::MDNode::get(context, {});
  const llvm::SyncScope::ID system =
      context.getOrInsertSyncScopeID(getScope(tile::MemScope::System));
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : block) {
        auto *atomic = dyn_cast<llvm::AtomicRMWInst>(&instruction);
        if (!atomic || atomic->getPointerAddressSpace() != llvmbackend::kGlobalSpace ||
            atomic->getSyncScopeID() == system)
          continue;
        for (const char *name : {"amdgpu.no.fine.grained.memory", "amdgpu.no.remote.memory",
                                 "amdgpu.ignore.denormal.mode"})
          atomic->setMetadata(name, yes);
      }
}

void amdgpu::populateAtomicPatterns(LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<AtomicRMWPattern, AtomicCASPattern>(converter);
}
