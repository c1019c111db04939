// Instructions of warp groups as wgmma, in inline PTX: accumulators are tied to registers that stay
// the same, and the wait takes and returns them, so that no use can move above it. What wgmma is,
// its shapes, descriptors and spelling, is known here alone.
#include "backends/nvptx/MatrixDescriptor.h"
#include "backends/nvptx/Patterns.h"
#include "ir/simt/SimtOps.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::nvptx;

namespace {

/// Writes the operand list of one inline PTX statement.
class Statement {
public:
  Statement(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  /// Registers that are read and written; returns their names in the text.
  std::string addTied(Value vector) {
    SmallVector<Value> words = wordsOf(vector);
    std::string names = list(results.size(), words.size());
    for (Value word : words) {
      results.push_back(word.getType());
      tied.push_back(word);
    }
    vectors.push_back(cast<VectorType>(vector.getType()));
    counts.push_back(words.size());
    return names;
  }
  /// After all tied ones.
  std::string addRead(Value vector) {
    SmallVector<Value> words = toWords(b, loc, vector, 32);
    std::string names = list(next(), words.size());
    inputs.append(words);
    return names;
  }
  std::string addScalar(Value value) {
    std::string name = "$" + std::to_string(next());
    inputs.push_back(value);
    return name;
  }
  /// The new values of the tied vectors.
  SmallVector<Value> emit(StringRef text) {
    std::string constraints;
    auto add = [&](const std::string &constraint) {
      constraints += (constraints.empty() ? "" : ",") + constraint;
    };
    for (Type type : results)
      add(std::string("=") + letter(type));
    for (size_t i = 0; i < tied.size(); ++i)
      add(std::to_string(i));
    for (Value value : inputs)
      add(letter(value.getType()));
    add("~{memory}");
    SmallVector<Value> all(tied);
    all.append(inputs);
    SmallVector<Value> words = inlinePtx(b, loc, results, all, text, constraints, true);
    SmallVector<Value> packed;
    size_t start = 0;
    for (auto [type, count] : llvm::zip(vectors, counts)) {
      packed.push_back(packed32(ArrayRef(words).slice(start, count), type));
      start += count;
    }
    return packed;
  }

private:
  static const char *letter(Type type) {
    return type.isF32() ? "f" : type.isInteger(64) ? "l" : type.isInteger(1) ? "b" : "r";
  }
  size_t next() const { return 2 * results.size() + inputs.size(); }
  static std::string list(size_t first, size_t count) {
    std::string names = "{";
    for (size_t i = 0; i < count; ++i)
      names += (i ? ", $" : "$") + std::to_string(first + i);
    return names + "}";
  }
  SmallVector<Value> wordsOf(Value vector) {
    auto type = cast<VectorType>(vector.getType());
    if (type.getElementTypeBitWidth() < 32)
      return toWords(b, loc, vector, 32);
    SmallVector<Value> words;
    for (int64_t i = 0; i < type.getNumElements(); ++i)
      words.push_back(
          LLVM::ExtractElementOp::create(b, loc, vector, integerConstant(b, loc, 64, i)));
    return words;
  }
  Value packed32(ArrayRef<Value> words, VectorType type) {
    if (type.getElementTypeBitWidth() < 32)
      return fromWords(b, loc, words, type);
    Value vector = LLVM::PoisonOp::create(b, loc, type);
    for (auto [i, word] : llvm::enumerate(words))
      vector = LLVM::InsertElementOp::create(b, loc, vector, word, integerConstant(b, loc, 64, i));
    return vector;
  }

  OpBuilder &b;
  Location loc;
  SmallVector<Type> results;
  SmallVector<Value> tied, inputs;
  SmallVector<VectorType> vectors;
  SmallVector<size_t> counts;
};

/// The 64 bits by which an instruction finds an operand in shared memory.
Value descriptor(OpBuilder &b, Location loc, Value buffer, Value offset, simt::TileAttr attribute,
                 ArrayRef<int64_t> block, unsigned summed, bool inCluster) {
  Value address = sharedAddress(b, loc, buffer, offset);
  address = LLVM::LShrOp::create(b, loc, address, integerConstant(b, loc, 32, 4));
  // Addresses of a cluster's blocks but the first have their block's number above the field's bits.
  if (inCluster)
    address = LLVM::AndOp::create(b, loc, address, integerConstant(b, loc, 32, 0x3fff));
  Value base = LLVM::ZExtOp::create(b, loc, b.getI64Type(), address);
  layout::MatrixTile tile = attribute.getTile();
  uint64_t start = tile.plainByte(uint64_t(block[0]), uint64_t(block[1]));
  // One addition a step: the variable part is the same for all of them.
  auto rest = int64_t(describe(tile, summed)->encode(start));
  return LLVM::AddOp::create(b, loc, base, integerConstant(b, loc, 64, rest));
}

/// Whether the accumulator is read.
std::string accumulates(Statement &statement, Value predicate) {
  APInt known;
  if (!predicate)
    return "1";
  if (matchPattern(predicate, m_ConstantInt(&known)))
    return known.isZero() ? "0" : "1";
  return statement.addScalar(predicate);
}

struct GroupMmaPattern : ConvertOpToLLVMPattern<simt::GroupMmaOp> {
  GroupMmaPattern(const LLVMTypeConverter &converter, bool inCluster)
      : ConvertOpToLLVMPattern(converter), inCluster(inCluster) {}
  LogicalResult matchAndRewrite(simt::GroupMmaOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    StringRef types = op.getInstruction();
    Statement statement(rewriter, loc);
    std::string text = "wgmma.mma_async.sync.aligned.m64n" + std::to_string(op.getColumns()) + "k" +
                       std::to_string(op.getSteps()) + "." + types.str() + " " +
                       statement.addTied(adaptor.getAcc()) + ", ";
    if (adaptor.getA())
      text += statement.addRead(adaptor.getA());
    else
      text +=
          statement.addScalar(descriptor(rewriter, loc, adaptor.getABuffer(), adaptor.getAOffset(),
                                         *op.getATile(), *op.getABlock(), 1, inCluster));
    text += ", " + statement.addScalar(descriptor(rewriter, loc, adaptor.getBBuffer(),
                                                  adaptor.getBOffset(), op.getBTile(),
                                                  op.getBBlock(), 0, inCluster));
    text += ", " + accumulates(statement, adaptor.getAccumulates());
    bool isInteger = cast<VectorType>(op.getAcc().getType()).getElementType().isInteger(32);
    if (!isInteger)
      text += ", 1, 1"; // operands are not negated
    // Only 16-bit operands may be contiguous along another dimension than the sum's.
    if (types.ends_with("f16")) {
      if (!adaptor.getA())
        text += op.getATile()->getContiguous() == 0 ? ", 1" : ", 0";
      text += op.getBTile().getContiguous() == 1 ? ", 1" : ", 0";
    }
    rewriter.replaceOp(op, statement.emit(text + ";"));
    return success();
  }
  bool inCluster;
};

struct GroupMmaFencePattern : ConvertOpToLLVMPattern<simt::GroupMmaFenceOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(simt::GroupMmaFenceOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Statement statement(rewriter, op.getLoc());
    // Words are made before it, not between the instructions that read them.
    for (Value value : adaptor.getRegisters())
      statement.addRead(value);
    statement.emit("wgmma.fence.sync.aligned;");
    rewriter.eraseOp(op);
    return success();
  }
};

struct GroupMmaWaitPattern : ConvertOpToLLVMPattern<simt::GroupMmaWaitOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(simt::GroupMmaWaitOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Statement statement(rewriter, op.getLoc());
    for (Value acc : adaptor.getAccs())
      statement.addTied(acc);
    for (Value value : adaptor.getKept())
      statement.addRead(value);
    rewriter.replaceOp(op, statement.emit("wgmma.wait_group.sync.aligned " +
                                          std::to_string(op.getPending()) + ";"));
    return success();
  }
};

} // namespace

/// An operand in shared memory.
static LogicalResult checkOperand(simt::GroupMmaOp op, StringRef which, simt::TileAttr attribute,
                                  unsigned summed, bool takesAnyOrder) {
  layout::MatrixTile tile = attribute.getTile();
  if (tile.elementBytes * op.getSteps() != 32)
    return op.emitOpError() << which << " has elements of " << tile.elementBytes
                            << " bytes, of which a step of wgmma takes " << 32 / tile.elementBytes
                            << ", not " << op.getSteps();
  if (attribute.getContiguous() != summed && !takesAnyOrder)
    return op.emitOpError() << which
                            << " is not contiguous along k, which wgmma takes of 16-bit "
                               "elements alone";
  if (!describe(tile, summed))
    return op.emitOpError() << which << " has strides that no descriptor of wgmma can hold";
  return success();
}

static unsigned bitsOf(Type type) { return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0; }

/// The first operand in registers, which are packed into words whatever they hold.
static LogicalResult checkRegisters(simt::GroupMmaOp op, const target::WarpGroupInstruction &row) {
  auto type = cast<VectorType>(op.getA().getType());
  int64_t count = int64_t(1) << row.aLayout.inBits(layout::kRegister);
  if (type.getNumElements() == count && bitsOf(type.getElementType()) == bytesOf(row.a) * 8)
    return success();
  return op.emitOpError() << "takes the first operand from " << type << ", but wgmma takes "
                          << count << " x " << nameOf(row.a) << " from a thread";
}

static LogicalResult checkWgmma(simt::GroupMmaOp op, const target::TargetInfo &info) {
  const target::WarpGroupInstruction *row = info.findWarpGroup(op.getInstruction());
  if (!row)
    return op.emitOpError() << "uses the warp-group instruction '" << op.getInstruction()
                            << "', which " << info.name << " does not have; it has "
                            << llvm::join(llvm::map_range(info.warpGroupInstructions,
                                                          [](const auto &row) { return row.name; }),
                                          ", ");
  if (op.getRows() != row->m || op.getSteps() != row->k || op.getColumns() % 8 ||
      op.getColumns() > row->n || op.getThreads() != 128)
    return op.emitOpError() << "of " << op.getRows() << " x " << op.getColumns() << " x "
                            << op.getSteps() << " in " << op.getThreads()
                            << " threads is not a wgmma: it is " << row->m << " x a multiple "
                            << "of 8 up to " << row->n << " x " << row->k << " in 128";
  // How many registers they are follows from the threads.
  Type accElement = cast<VectorType>(op.getAcc().getType()).getElementType();
  if (bitsOf(accElement) != bytesOf(row->acc) * 8 ||
      isa<FloatType>(accElement) != (row->acc != target::MatrixElement::I32))
    return op.emitOpError() << "accumulates in " << accElement << ", but wgmma in "
                            << nameOf(row->acc);
  if (op.getA() && failed(checkRegisters(op, *row)))
    return failure();
  if (op.getABuffer() &&
      failed(checkOperand(op, "the first operand", *op.getATile(), 1, row->takesAnyOrder)))
    return failure();
  return checkOperand(op, "the second operand", op.getBTile(), 0, row->takesAnyOrder);
}

LogicalResult nvptx::checkWarpGroups(ModuleOp module, const Architecture &arch) {
  WalkResult result = module.walk([&](Operation *op) -> WalkResult {
    if (isa<simt::GroupMmaOp, simt::GroupMmaFenceOp, simt::GroupMmaCommitOp, simt::GroupMmaWaitOp,
            simt::AsyncFenceOp>(op) &&
        arch.info.warpGroupInstructions.empty())
      return op->emitOpError() << "needs warp-group instructions, which " << arch.info.name
                               << " does not have";
    auto product = dyn_cast<simt::GroupMmaOp>(op);
    return product ? checkWgmma(product, arch.info) : success();
  });
  return failure(result.wasInterrupted());
}

void nvptx::populateWgmmaPatterns(LLVMTypeConverter &converter, RewritePatternSet &patterns,
                                  unsigned blocks) {
  patterns.add<GroupMmaPattern>(converter, blocks > 1);
  patterns.add<GroupMmaFencePattern, GroupMmaWaitPattern>(converter);
  patterns.add<StatementPattern<simt::GroupMmaCommitOp>>(converter,
                                                         "wgmma.commit_group.sync.aligned;");
  patterns.add<StatementPattern<simt::AsyncFenceOp>>(converter, "fence.proxy.async.shared::cta;");
}
