// See Jit.h.
#include "plugins/cuda/Jit.h"
#include "plugins/support/PtxLines.h"

using namespace cuda;

JitOptions::JitOptions(const std::string &image, bool binary) : log(16 << 10) {
  auto add = [&](int name, uintptr_t value) {
    names.push_back(name);
    values.push_back(reinterpret_cast<void *>(value));
  };
  add(kJitErrorLog, reinterpret_cast<uintptr_t>(log.data()));
  add(kJitErrorLogSize, log.size() - 1);
  if (!binary && image.find(".loc") != std::string::npos)
    add(kJitLineInfo, 1);
}

std::string JitOptions::describeLog(const std::string &ptx) const {
  // Its end is never written to.
  std::string text = log.data();
  if (text.empty())
    return "the driver's log is empty";
  while (text.back() == '\n')
    text.pop_back();
  return "the driver's log:\n" + text + tilerun::plugin_support::explainPtxLines(text, ptx);
}
