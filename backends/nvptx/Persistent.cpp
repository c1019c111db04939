// See Persistent.h.
#include "backends/nvptx/Persistent.h"
#include "backends/nvptx/Patterns.h"
#include "backends/nvptx/SpecialRegister.h"
#include "ir/simt/SimtOps.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::nvptx;

/// Of a tile.num_programs: the number of the kernel's parameter that is the caller's grid.
static constexpr StringLiteral kGridAttr("nvptx.grid");
static constexpr unsigned kAxes = 3;

bool nvptx::addGrid(func::FuncOp kernel) {
  const bool isPersistent =
      kernel.walk([](simt::LaunchedOp) { return WalkResult::interrupt(); }).wasInterrupted();
  if (!isPersistent)
    return false;
  unsigned number = kernel.getNumArguments();
  LogicalResult added =
      kernel.insertArgument(number, LLVM::LLVMPointerType::get(kernel.getContext()),
                            DictionaryAttr::get(kernel.getContext()), kernel.getLoc());
  assert(succeeded(added));
  (void)added;
  kernel.walk([&](tile::NumProgramsOp op) {
    op->setAttr(kGridAttr, Builder(op).getI32IntegerAttr(int32_t(number)));
  });
  return true;
}

void nvptx::markGrid(LLVM::LLVMFuncOp entry, unsigned behind) {
  Builder b(entry);
  unsigned number = entry.getNumArguments() - behind - 1;
  entry.setArgAttr(number, LLVM::LLVMDialect::getByValAttrName(),
                   TypeAttr::get(LLVM::LLVMArrayType::get(b.getI64Type(), kAxes)));
  entry.setArgAttr(number, LLVM::LLVMDialect::getAlignAttrName(), b.getI64IntegerAttr(8));
}

backend::DerivedParameter nvptx::getGridParameter() {
  using Step = backend::DerivedParameter::Step;
  std::vector<Step> steps;
  for (unsigned axis = 0; axis < kAxes; ++axis) {
    steps.push_back({Step::Kind::Grid, axis});
    steps.push_back({Step::Kind::Word});
  }
  // The counter of programs has 32 bits, signed, and steps past the last one by as many as are
  // launched.
  constexpr int64_t kMostPrograms = (int64_t(1) << 30) - 1;
  steps.push_back({Step::Kind::Constant, kMostPrograms});
  steps.push_back({Step::Kind::Grid, 0});
  for (unsigned axis = 1; axis < kAxes; ++axis) {
    steps.push_back({Step::Kind::Grid, axis});
    steps.push_back({Step::Kind::Multiply});
  }
  steps.push_back({Step::Kind::Subtract});
  steps.push_back({Step::Kind::Require});
  return {"words", std::move(steps)};
}

namespace {
/// The caller's grid, not that which is launched.
struct GridPattern : ConvertOpToLLVMPattern<tile::NumProgramsOp> {
  explicit GridPattern(const LLVMTypeConverter &converter)
      : ConvertOpToLLVMPattern(converter, /*benefit=*/2) {}
  LogicalResult matchAndRewrite(tile::NumProgramsOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    auto number = op->getAttrOfType<IntegerAttr>(kGridAttr);
    if (!number)
      return failure();
    Location loc = op.getLoc();
    auto entry = op->getParentOfType<LLVM::LLVMFuncOp>();
    Value grid = entry.getArgument(unsigned(number.getInt()));
    auto pointer = LLVM::LLVMPointerType::get(rewriter.getContext());
    Value word = LLVM::GEPOp::create(rewriter, loc, pointer, rewriter.getI64Type(), grid,
                                     ArrayRef<LLVM::GEPArg>{int32_t(op.getAxis())});
    rewriter.replaceOpWithNewOp<LLVM::LoadOp>(op, rewriter.getI32Type(), word, /*alignment=*/8);
    return success();
  }
};

/// Programs are clusters where they run on several blocks.
template <typename Op> struct ProgramPattern : ConvertOpToLLVMPattern<Op> {
  ProgramPattern(const LLVMTypeConverter &converter, const char *name)
      : ConvertOpToLLVMPattern<Op>(converter), name(name) {}
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    const char *axes[] = {"x", "y", "z"};
    rewriter.replaceOp(op, readSpecialRegister(rewriter, op.getLoc(),
                                               llvm::Twine(name) + "." + axes[op.getAxis()]));
    return success();
  }
  const char *name;
};

struct LaunchedPattern : ConvertOpToLLVMPattern<simt::LaunchedOp> {
  LaunchedPattern(const LLVMTypeConverter &converter, const char *program, const char *count)
      : ConvertOpToLLVMPattern(converter), program(program), count(count) {}
  LogicalResult matchAndRewrite(simt::LaunchedOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    auto read = [&](const char *name) {
      return readSpecialRegister(rewriter, op.getLoc(), llvm::Twine(name) + ".x");
    };
    rewriter.replaceOp(op, {read(program), read(count)});
    return success();
  }
  const char *program, *count;
};
} // namespace

void nvptx::populateGridPatterns(LLVMTypeConverter &converter, RewritePatternSet &patterns,
                                 unsigned blocks) {
  const char *program = blocks > 1 ? "clusterid" : "ctaid",
             *count = blocks > 1 ? "nclusterid" : "nctaid";
  patterns.add<ProgramPattern<tile::ProgramIdOp>>(converter, program);
  patterns.add<ProgramPattern<tile::NumProgramsOp>>(converter, count);
  patterns.add<LaunchedPattern>(converter, program, count);
  patterns.add<GridPattern>(converter);
  patterns.add<SpecialRegisterPattern<tile::BlockRankOp>>(converter, "cluster.ctarank");
}
