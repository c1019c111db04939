// Artifacts compiled to the end: the driver's linker makes a binary of PTX, which a cache can keep.
#include "plugins/cuda/Device.h"
#include "plugins/cuda/Jit.h"
#include "plugins/support/PtxLines.h"

#include <utility>

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

namespace {

// A linker of the driver's, which owns the binary that it makes.
struct Linker {
  const Driver &driver;
  CUlinkState state = nullptr;
  explicit Linker(const Driver &driver) : driver(driver) {}
  ~Linker() {
    if (state)
      driver.cuLinkDestroy(state);
  }
  Linker(const Linker &) = delete;
  Linker &operator=(const Linker &) = delete;
};

} // namespace

// The driver's linker compiles relocatable code, in which its assembler ignores setmaxnreg: roles
// would spill, and their matrix instructions wait for each other. Nor does it choose how many
// registers a thread may have by the programs that run at a time: without a limit it takes more.
// Modules of PTX are compiled whole, and the driver keeps what it made of them in a cache of its
// own; but only one at a time, while any number of threads may link.
bool Device::losesByFinalizing(const std::string &code) const {
  auto has = [&](const char *text) { return code.find(text) != std::string::npos; };
  return has("\tsetmaxnreg.") || (has(".entry ") && !has("\n.maxnreg "));
}

Outcome Device::finalize(std::string &code, std::string &detail) const {
  const std::string ptx = std::exchange(code, {});
  JitOptions options(ptx, /*binary=*/false);
  Linker linker(driver);
  CUlinkState &state = linker.state;
  void *image = nullptr;
  size_t bytes = 0;
  Outcome outcome =
      CU(cuLinkCreate(options.getCount(), options.getNames(), options.getValues(), &state));
  if (outcome)
    return outcome;
  // The driver reads PTX up to a NUL, which counts as one of its bytes.
  outcome = {driver.cuLinkAddData(state, kJitPtx, const_cast<char *>(ptx.c_str()), ptx.size() + 1,
                                  "kernel", 0, nullptr, nullptr),
             "cuLinkAddData(state, PTX, …)"};
  if (!outcome)
    outcome = CU(cuLinkComplete(state, &image, &bytes));
  if (outcome)
    detail = options.describeLog(ptx);
  else
    code.assign(static_cast<char *>(image), bytes);
  return outcome;
}
