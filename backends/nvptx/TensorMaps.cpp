// See TensorMaps.h.
#include "backends/nvptx/TensorMaps.h"
#include "backends/common/ParameterSteps.h"
#include "backends/nvptx/Patterns.h"
#include "ir/simt/SimtOps.h"

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
  kernel.walk([&](simt::BoxCopyOp copy) {
    auto [number, isNew] = numbers.try_emplace(copy.getTensor(), kernel.getNumArguments());
    if (isNew) {
      auto pointer = LLVM::LLVMPointerType::get(kernel.getContext());
      LogicalResult added =
          kernel.insertArgument(kernel.getNumArguments(), pointer,
                                DictionaryAttr::get(kernel.getContext()), copy.getLoc());
      assert(succeeded(added));
      (void)added;
      parameters.push_back({"tensor-map", Recipe(copy.getTensor()).make()});
    }
    copy->setAttr(kTensorMapAttr, Builder(copy).getI32IntegerAttr(number->second));
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
struct BoxCopyPattern : ConvertOpToLLVMPattern<simt::BoxCopyOp> {
  BoxCopyPattern(const LLVMTypeConverter &converter, const Architecture &arch, unsigned blocks)
      : ConvertOpToLLVMPattern(converter), arch(arch), blocks(blocks) {}
  LogicalResult matchAndRewrite(simt::BoxCopyOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    if (arch.number < 90)
      return op.emitError() << "'" << op->getName() << "' needs sm_90 or later, not " << arch.name;
    Location loc = op.getLoc();
    auto entry = op->getParentOfType<LLVM::LLVMFuncOp>();
    unsigned map = unsigned(op->getAttrOfType<IntegerAttr>(kTensorMapAttr).getInt());
    SmallVector<Value> inputs{
        sharedAddress(rewriter, loc, adaptor.getBuffer(), adaptor.getOffset()),
        entry.getArgument(map),
        sharedAddress(rewriter, loc, adaptor.getPhases(), adaptor.getPlace())};
    std::string constraints = "r,l,r", starts, guard;
    for (Value start : adaptor.getStarts()) {
      starts += (starts.empty() ? "$" : ", $") + std::to_string(inputs.size());
      constraints += ",r";
      inputs.push_back(start);
    }
    if (Value mask = adaptor.getMask()) {
      guard = "@$" + std::to_string(inputs.size()) + " ";
      constraints += ",b";
      inputs.push_back(mask);
    }
    std::string receivers;
    if (op.getMulticast()) {
      const int64_t all = (int64_t(1) << blocks) - 1;
      receivers = ", $" + std::to_string(inputs.size());
      constraints += ",h";
      inputs.push_back(integerConstant(rewriter, loc, 16, all));
    }
    std::string text = guard + "cp.async.bulk.tensor." +
                       std::to_string(adaptor.getStarts().size()) +
                       "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes" +
                       (op.getMulticast() ? ".multicast::cluster" : "") + " [$0], [$1, {" + starts +
                       "}], [$2]" + receivers + ";";
    inlinePtx(rewriter, loc, {}, inputs, text, constraints + ",~{memory}", true);
    rewriter.eraseOp(op);
    return success();
  }
  const Architecture &arch;
  unsigned blocks;
};
} // namespace

void nvptx::populateBoxPatterns(LLVMTypeConverter &converter, RewritePatternSet &patterns,
                                const Architecture &arch, unsigned blocks) {
  patterns.add<BoxCopyPattern>(converter, arch, blocks);
}
