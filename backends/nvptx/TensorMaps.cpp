// See TensorMaps.h.
#include "backends/nvptx/TensorMaps.h"
#include "backends/common/ParameterSteps.h"
#include "backends/nvptx/Patterns.h"
#include "ir/simt/SimtOps.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::nvptx;
using schedule::BoxAttr;
using Step = backend::DerivedParameter::Step;

//===----------------------------------------------------------------------===//
// Recipes
//===----------------------------------------------------------------------===//

namespace {
/// The steps that give the words of one tensor map.
class Recipe {
public:
  explicit Recipe(BoxAttr box) : box(box) {}
  std::vector<Step> make();

private:
  void push(Step::Kind kind, int64_t value = 0) { steps.push_back({kind, value}); }
  void pushWord(int64_t value) {
    push(Step::Kind::Constant, value);
    push(Step::Kind::Word);
  }
  /// A word that must be one of these numbers.
  void pushWord(AffineExpr expr, int64_t least, int64_t most);
  /// Sums of products of arguments and constants, as schedule::BoxFinder makes them.
  void push(AffineExpr expr) { backend::push(steps, expr, box.getArguments()); }

  BoxAttr box;
  std::vector<Step> steps;
};
} // namespace

void Recipe::pushWord(AffineExpr expr, int64_t least, int64_t most) {
  push(expr);
  push(Step::Kind::Word);
  if (isa<AffineConstantExpr>(expr))
    return;
  push(expr);
  push(Step::Kind::Constant, least);
  push(Step::Kind::Subtract);
  push(Step::Kind::Require);
  push(Step::Kind::Constant, most);
  push(expr);
  push(Step::Kind::Subtract);
  push(Step::Kind::Require);
}

std::vector<Step> Recipe::make() {
  ArrayRef<int64_t> tile = box.getTile().asArrayRef();
  int64_t bytes = tile::getElementBytes(box.getElement());
  pushWord(int64_t(tile.size()));
  pushWord(bytes);
  // Lines of one chunk are not permuted.
  int64_t line = tile[0] * bytes;
  pushWord(line > layout::MatrixTile::kChunkBytes ? line : 0);
  push(Step::Kind::Argument, box.getBase());
  push(Step::Kind::Word);
  for (int32_t argument : box.getNatural().asArrayRef()) {
    push(Step::Kind::Argument, argument);
    push(Step::Kind::Require);
  }
  // The encoder's limits; and indices have 32 bits.
  for (AffineExpr extent : box.getExtents().getValue().getResults())
    pushWord(extent, 1, std::numeric_limits<int32_t>::max());
  for (AffineExpr stride : box.getStrides().getValue().getResults())
    pushWord(stride, 16, (int64_t(1) << 40) - 16);
  for (int64_t size : tile)
    pushWord(size);
  return std::move(steps);
}

std::vector<backend::DerivedParameter> nvptx::addTensorMaps(func::FuncOp kernel) {
  llvm::MapVector<Attribute, unsigned> numbers;
  std::vector<backend::DerivedParameter> parameters;
  kernel.walk([&](Operation *op) {
    BoxAttr tensor =
        TypeSwitch<Operation *, BoxAttr>(op)
            .Case<simt::BoxCopyOp, simt::BoxStoreOp>([](auto box) { return box.getTensor(); })
            .Default(BoxAttr());
    if (!tensor)
      return;
    auto [number, isNew] = numbers.try_emplace(tensor, kernel.getNumArguments());
    if (isNew) {
      auto pointer = LLVM::LLVMPointerType::get(kernel.getContext());
      LogicalResult added =
          kernel.insertArgument(kernel.getNumArguments(), pointer,
                                DictionaryAttr::get(kernel.getContext()), op->getLoc());
      assert(succeeded(added));
      (void)added;
      parameters.push_back({"tensor-map", Recipe(tensor).make()});
    }
    op->setAttr(kTensorMapAttr, Builder(op).getI32IntegerAttr(number->second));
  });
  return parameters;
}

void nvptx::markTensorMaps(LLVM::LLVMFuncOp entry, unsigned count) {
  Builder b(entry);
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), kTensorMapBytes);
  for (unsigned i = entry.getNumArguments() - count; i < entry.getNumArguments(); ++i) {
    entry.setArgAttr(i, LLVM::LLVMDialect::getByValAttrName(), TypeAttr::get(type));
    entry.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                     b.getI64IntegerAttr(kTensorMapAlignment));
  }
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

namespace {
/// The inputs of an instruction that moves a box, beside those that come first: where the box
/// begins, and its predicate.
struct BoxInputs {
  BoxInputs(ArrayRef<Value> first, StringRef constraints, ValueRange boxStarts, Value mask)
      : inputs(first), constraints(constraints) {
    for (Value start : boxStarts)
      starts += (starts.empty() ? "" : ", ") + add(start, "r");
    if (mask)
      guard = "@" + add(mask, "b") + " ";
    dimensions = std::to_string(boxStarts.size()) + "d";
  }
  /// Its name in the text.
  std::string add(Value input, StringRef constraint) {
    inputs.push_back(input);
    constraints += "," + constraint.str();
    return "$" + std::to_string(inputs.size() - 1);
  }

  SmallVector<Value> inputs;
  std::string constraints, starts, guard, dimensions;
};

/// The parameter of the launch that has the tensor map of a box.
template <typename Op> Value getTensorMap(Op op) {
  auto number = op->template getAttrOfType<IntegerAttr>(kTensorMapAttr);
  return op->template getParentOfType<LLVM::LLVMFuncOp>().getArgument(unsigned(number.getInt()));
}

template <typename Op> struct BoxPattern : ConvertOpToLLVMPattern<Op> {
  BoxPattern(const LLVMTypeConverter &converter, const Architecture &arch)
      : ConvertOpToLLVMPattern<Op>(converter), arch(arch) {}
  LogicalResult check(Op op) const {
    if (arch.number < 90)
      return op.emitError() << "'" << op->getName() << "' needs sm_90 or later, not " << arch.name;
    return success();
  }
  const Architecture &arch;
};

struct BoxCopyPattern : BoxPattern<simt::BoxCopyOp> {
  BoxCopyPattern(const LLVMTypeConverter &converter, const Architecture &arch, unsigned blocks)
      : BoxPattern(converter, arch), blocks(blocks) {}
  LogicalResult matchAndRewrite(simt::BoxCopyOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    if (failed(check(op)))
      return failure();
    Location loc = op.getLoc();
    BoxInputs box({sharedAddress(rewriter, loc, adaptor.getBuffer(), adaptor.getOffset()),
                   getTensorMap(op),
                   sharedAddress(rewriter, loc, adaptor.getPhases(), adaptor.getPlace())},
                  "r,l,r", adaptor.getStarts(), adaptor.getMask());
    std::string receivers;
    if (op.getMulticast()) {
      const int64_t all = (int64_t(1) << blocks) - 1;
      receivers = ", " + box.add(integerConstant(rewriter, loc, 16, all), "h");
    }
    std::string text = box.guard + "cp.async.bulk.tensor." + box.dimensions +
                       ".shared::cluster.global.tile.mbarrier::complete_tx::bytes" +
                       (op.getMulticast() ? ".multicast::cluster" : "") + " [$0], [$1, {" +
                       box.starts + "}], [$2]" + receivers + ";";
    inlinePtx(rewriter, loc, {}, box.inputs, text, box.constraints + ",~{memory}", true);
    rewriter.eraseOp(op);
    return success();
  }
  unsigned blocks;
};

struct BoxStorePattern : BoxPattern<simt::BoxStoreOp> {
  using BoxPattern::BoxPattern;
  LogicalResult matchAndRewrite(simt::BoxStoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    if (failed(check(op)))
      return failure();
    Location loc = op.getLoc();
    BoxInputs box(
        {sharedAddress(rewriter, loc, adaptor.getBuffer(), adaptor.getOffset()), getTensorMap(op)},
        "r,l", adaptor.getStarts(), adaptor.getMask());
    std::string text = box.guard + "cp.async.bulk.tensor." + box.dimensions +
                       ".global.shared::cta.tile.bulk_group [$1, {" + box.starts + "}], [$0];";
    inlinePtx(rewriter, loc, {}, box.inputs, text, box.constraints + ",~{memory}", true);
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void nvptx::populateBoxPatterns(LLVMTypeConverter &converter, RewritePatternSet &patterns,
                                const Architecture &arch, unsigned blocks) {
  patterns.add<BoxCopyPattern>(converter, arch, blocks);
  patterns.add<BoxStorePattern>(converter, arch);
  patterns.add<StatementPattern<simt::BoxStoreWaitOp>>(
      converter, "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;");
}
