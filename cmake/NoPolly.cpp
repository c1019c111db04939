// Polly's entry for programs that carry LLVM and not Polly: optimizing at link time, which lld's
// archives bring along and nothing here uses, would register its passes. There are none.
#include "llvm/Plugins/PassPlugin.h"

llvm::PassPluginLibraryInfo getPollyPluginInfo();

llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "Polly", "", [](llvm::PassBuilder &) {}, nullptr};
}
