// The table of a device for distribution and the lowering to threads; separate from Target.cpp,
// which the plugin uses without a compiler.
#include "backends/spirv/Target.h"

using namespace tilerun;
using namespace tilerun::spirvbackend;

target::TargetInfo spirvbackend::getTargetInfo(const Target &target) {
  target::TargetInfo info;
  info.name = kTargetName.str();
  info.warpSize = target.subgroupSize;
  info.maxThreads = target.maxThreads;
  info.maxVectorBytes = 16;
  info.readsFloat8 = false;
  info.sharedMemoryBytes = target.sharedBytes;
  // Lanes are only known to be a thread's low bits where subgroups are full.
  info.hasShuffle = target.hasSubgroupControl && target.hasShuffle;
  info.matrixInstructions = getMatrixInstructions(target);
  info.hasDotBytes = target.hasPackedDot8;
  return info;
}
