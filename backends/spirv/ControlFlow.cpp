// Loops and selections. Carried values go through variables of the function (see Patterns.h):
// MLIR's own conversion of scf.for is wrong for loops without iterations, and its serializer loses
// operands of phis.
#include "backends/spirv/Patterns.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::spirvbackend;

namespace {

/// A variable for each value, with the value in it.
SmallVector<Value> carry(OpBuilder &b, Location loc, KernelContext &kernel, ValueRange values) {
  SmallVector<Value> variables;
  for (Value value : values) {
    variables.push_back(makeVariable(b, loc, value.getType(), kernel));
    storeVariable(b, loc, variables.back(), value);
  }
  return variables;
}

SmallVector<Value> loadAll(OpBuilder &b, Location loc, ValueRange variables) {
  SmallVector<Value> values;
  for (Value variable : variables)
    values.push_back(loadVariable(b, loc, variable));
  return values;
}

/// The blocks of a loop in the order that the dialect requires.
struct LoopBlocks {
  spirv::LoopOp loop;
  Block *header, *body, *after, *next, *merge;

  LoopBlocks(OpBuilder &b, Location loc, bool hasAfter) {
    loop = spirv::LoopOp::create(b, loc, spirv::LoopControl::None);
    OpBuilder::InsertionGuard guard(b);
    loop.addEntryAndMergeBlock(b);
    merge = loop.getMergeBlock();
    header = b.createBlock(merge);
    body = b.createBlock(merge);
    after = hasAfter ? b.createBlock(merge) : nullptr;
    next = b.createBlock(merge);
    b.setInsertionPointToEnd(loop.getEntryBlock());
    spirv::BranchOp::create(b, loc, header);
  }
};

struct ForPattern : KernelPattern<scf::ForOp> {
  using KernelPattern::KernelPattern;
  LogicalResult matchAndRewrite(scf::ForOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    SmallVector<Value> variables = carry(rewriter, loc, kernel, adaptor.getInitArgs());
    Value counter = carry(rewriter, loc, kernel, adaptor.getLowerBound()).front();
    LoopBlocks blocks(rewriter, loc, /*hasAfter=*/false);
    rewriter.setInsertionPointToEnd(blocks.header);
    Value index = loadVariable(rewriter, loc, counter);
    Value more =
        op.getUnsignedCmp()
            ? Value(spirv::ULessThanOp::create(rewriter, loc, index, adaptor.getUpperBound()))
            : Value(spirv::SLessThanOp::create(rewriter, loc, index, adaptor.getUpperBound()));
    spirv::BranchConditionalOp::create(rewriter, loc, more, blocks.body, ValueRange(), blocks.merge,
                                       ValueRange());
    rewriter.setInsertionPointToEnd(blocks.body);
    SmallVector<Value> arguments{index};
    llvm::append_range(arguments, loadAll(rewriter, loc, variables));
    kernel.exits[op.getBody()->getTerminator()] = {variables, blocks.next, nullptr};
    rewriter.mergeBlocks(op.getBody(), blocks.body, arguments);
    rewriter.setInsertionPointToEnd(blocks.next);
    Value stepped = spirv::IAddOp::create(rewriter, loc, index, adaptor.getStep());
    storeVariable(rewriter, loc, counter, stepped);
    spirv::BranchOp::create(rewriter, loc, blocks.header);
    rewriter.setInsertionPointAfter(blocks.loop);
    rewriter.replaceOp(op, loadAll(rewriter, loc, variables));
    return success();
  }
};

struct WhilePattern : KernelPattern<scf::WhileOp> {
  using KernelPattern::KernelPattern;
  LogicalResult matchAndRewrite(scf::WhileOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    SmallVector<Value> variables = carry(rewriter, loc, kernel, adaptor.getInits());
    SmallVector<Value> results;
    for (Type type : op.getResultTypes())
      results.push_back(makeVariable(rewriter, loc, convert(type), kernel));
    LoopBlocks blocks(rewriter, loc, /*hasAfter=*/true);
    rewriter.setInsertionPointToEnd(blocks.header);
    spirv::BranchOp::create(rewriter, loc, blocks.body);
    rewriter.setInsertionPointToEnd(blocks.body);
    SmallVector<Value> arguments = loadAll(rewriter, loc, variables);
    kernel.exits[op.getConditionOp()] = {results, blocks.after, blocks.merge};
    rewriter.mergeBlocks(op.getBeforeBody(), blocks.body, arguments);
    rewriter.setInsertionPointToEnd(blocks.after);
    arguments = loadAll(rewriter, loc, results);
    kernel.exits[op.getYieldOp()] = {variables, blocks.next, nullptr};
    rewriter.mergeBlocks(op.getAfterBody(), blocks.after, arguments);
    rewriter.setInsertionPointToEnd(blocks.next);
    spirv::BranchOp::create(rewriter, loc, blocks.header);
    rewriter.setInsertionPointAfter(blocks.loop);
    rewriter.replaceOp(op, loadAll(rewriter, loc, results));
    return success();
  }
};

struct IfPattern : KernelPattern<scf::IfOp> {
  using KernelPattern::KernelPattern;
  LogicalResult matchAndRewrite(scf::IfOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    SmallVector<Value> variables;
    for (Type type : op.getResultTypes())
      variables.push_back(makeVariable(rewriter, loc, convert(type), kernel));
    auto selection = spirv::SelectionOp::create(rewriter, loc, spirv::SelectionControl::None);
    {
      OpBuilder::InsertionGuard guard(rewriter);
      selection.addMergeBlock(rewriter);
    }
    Block *merge = selection.getMergeBlock();
    Block *header = rewriter.createBlock(merge);
    auto move = [&](Region &region) {
      if (region.empty())
        return merge;
      Block *block = rewriter.createBlock(merge);
      kernel.exits[region.front().getTerminator()] = {variables, merge, nullptr};
      rewriter.mergeBlocks(&region.front(), block);
      return block;
    };
    Block *thenBlock = move(op.getThenRegion());
    Block *otherBlock = move(op.getElseRegion());
    rewriter.setInsertionPointToEnd(header);
    spirv::BranchConditionalOp::create(rewriter, loc, adaptor.getCondition(), thenBlock,
                                       ValueRange(), otherBlock, ValueRange());
    rewriter.setInsertionPointAfter(selection);
    rewriter.replaceOp(op, loadAll(rewriter, loc, variables));
    return success();
  }
};

struct YieldPattern : KernelPattern<scf::YieldOp> {
  using KernelPattern::KernelPattern;
  LogicalResult matchAndRewrite(scf::YieldOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    auto it = kernel.exits.find(op);
    if (it == kernel.exits.end())
      return failure();
    for (auto [variable, value] : llvm::zip_equal(it->second.variables, adaptor.getResults()))
      storeVariable(rewriter, op.getLoc(), variable, value);
    rewriter.replaceOpWithNewOp<spirv::BranchOp>(op, it->second.next);
    return success();
  }
};

struct ConditionPattern : KernelPattern<scf::ConditionOp> {
  using KernelPattern::KernelPattern;
  LogicalResult matchAndRewrite(scf::ConditionOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    auto it = kernel.exits.find(op);
    if (it == kernel.exits.end())
      return failure();
    for (auto [variable, value] : llvm::zip_equal(it->second.variables, adaptor.getArgs()))
      storeVariable(rewriter, op.getLoc(), variable, value);
    rewriter.replaceOpWithNewOp<spirv::BranchConditionalOp>(op, adaptor.getCondition(),
                                                            it->second.next, ValueRange(),
                                                            it->second.otherwise, ValueRange());
    return success();
  }
};

} // namespace

void spirvbackend::populateControlFlowPatterns(SPIRVTypeConverter &converter,
                                               RewritePatternSet &patterns, KernelContext &kernel) {
  patterns.add<ForPattern, WhilePattern, IfPattern, YieldPattern, ConditionPattern>(converter,
                                                                                    kernel);
}
