// Canonicalization patterns of the `tile` dialect: rewrites that always make the program simpler
// and never trade one cost for another (those are passes, in ir/transforms).
#include "ir/tile/TileOps.h"

using namespace mlir;
using namespace tilerun::tile;

void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &, MLIRContext *) {}
void ExpandDimsOp::getCanonicalizationPatterns(RewritePatternSet &, MLIRContext *) {}
void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &, MLIRContext *) {}
void TransOp::getCanonicalizationPatterns(RewritePatternSet &, MLIRContext *) {}
void AddPtrOp::getCanonicalizationPatterns(RewritePatternSet &, MLIRContext *) {}
void LoadOp::getCanonicalizationPatterns(RewritePatternSet &, MLIRContext *) {}
void StoreOp::getCanonicalizationPatterns(RewritePatternSet &, MLIRContext *) {}
void AtomicRMWOp::getCanonicalizationPatterns(RewritePatternSet &, MLIRContext *) {}
void ReduceOp::getCanonicalizationPatterns(RewritePatternSet &, MLIRContext *) {}
void AssumeOp::getCanonicalizationPatterns(RewritePatternSet &, MLIRContext *) {}
void AssertOp::getCanonicalizationPatterns(RewritePatternSet &, MLIRContext *) {}
