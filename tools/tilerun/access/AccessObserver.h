// Watches a launch on the interpreter and notes every access to its tensors, with the programs and
// the masks. What it notes is plain data (tools/tilerun/host/Accesses.h).
#pragma once

#include "backends/interpreter/Observer.h"
#include "backends/interpreter/debug/LaneAccess.h"
#include "tools/tilerun/debug/Debuggee.h"
#include "tools/tilerun/host/Accesses.h"

#include "llvm/ADT/DenseMap.h"

namespace tilerun::access {

struct ObserveOptions {
  std::optional<uint64_t> program;          ///< Look at this one only.
  uint64_t maxBytes = uint64_t(4) << 30;    ///< Of what is noted of the elements.
  static constexpr uint64_t kMostTiles = 4; ///< Of one access, if a program is looked at.
};

/// Runs the launch. An error: a fault of the kernel, or more elements than are allowed.
llvm::Expected<host::Accesses> observe(debug::Debuggee &debuggee, const ObserveOptions &options);

/// Programs run one after the other, in ascending order.
class AccessObserver final : public interp::StepObserver {
public:
  /// `debuggee` must outlive it.
  static llvm::Expected<AccessObserver> create(const debug::Debuggee &debuggee,
                                               const ObserveOptions &options);

  bool beginProgram(uint64_t linear) override;
  void beforeStep(interp::Frame &frame, const interp::Step &step) override;
  void afterStep(interp::Frame &, const interp::Step &) override {}
  bool endProgram(const interp::Frame &) override { return true; }

  host::Accesses take(llvm::ArrayRef<interp::CheckReport> reports);

private:
  AccessObserver(const debug::Debuggee &debuggee, const ObserveOptions &options)
      : debuggee(debuggee), options(options) {}
  /// The memory of a tensor's elements.
  struct Target {
    uint64_t begin, end;
    unsigned bytes; ///< Of an element.
    /// The position of each slot's element, -1 without one; if tiles are noted.
    std::vector<int64_t> positions{};
    /// Itself, and other tensors with memory between its first and its last element.
    llvm::SmallVector<size_t, 1> overlapping{};
    bool contains(uint64_t address) const { return address >= begin && address < end; }
  };
  size_t findSite(const interp::Step &step, const interp::LaneAccess &access);
  /// SIZE_MAX: none.
  size_t findTarget(uint64_t address, llvm::ArrayRef<uint32_t> arguments) const;
  void note(size_t target, uint64_t address, unsigned bytes, interp::LaneAccess::Kind kind);
  void noteTile(size_t site, const interp::LaneAccess &access, llvm::ArrayRef<size_t> targets);
  void addFinding(const interp::CheckReport &report);

  const debug::Debuggee &debuggee;
  const ObserveOptions options;
  host::Accesses out;
  std::vector<Target> targets;  ///< As out.tensors.
  std::vector<size_t> targetOf; ///< By the kernel's parameter.
  llvm::DenseMap<const interp::Step *, size_t> siteOf;
  std::vector<uint64_t> lastProgram; ///< By site.
  uint32_t current = 0;
};

} // namespace tilerun::access
