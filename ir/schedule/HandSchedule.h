// Schedules written by hand: a text that names loops and gives their schedules.
//
//   # comment
//   loop 14: slots=4 distance=3 copies=chunks
//   loop #0: none
//   loop #1: slots=4 roles=producer:4,consumer
//   loop #2: slots=2 turns=on
//
// A loop is named by the line of the kernel's own file where it begins, by `FILE.py:9` (a name or
// the end of a path) for an inlined function of another file, or by its number among the `for`
// loops of the kernel, outer ones first. Loops that tile-split made do not count. `distance` and
// `copies` may be left out: loads run ahead as far as the slots allow, by asynchronous copies where
// the target has them. With turns, warps that share a unit for matrices use it one after the other.
// With roles, as many warps beside the kernel's own fill the slots.
//
// schedule-stages reads all of a line but `roles=`, which schedule-roles reads.
#pragma once

#include "ir/schedule/ScheduleDialect.h"

namespace tilerun::schedule {

class HandSchedule {
public:
  struct Entry {
    mlir::Location loc; ///< In the schedule's text.
    bool isNumber;      ///< Named by number, not by line.
    int64_t loop;       ///< That line or number.
    bool isNone = false;
    int64_t slots = 0;
    std::optional<int64_t> distance;
    std::optional<CopyKind> copies;
    unsigned producers = 0; ///< Warps that fill the slots beside the kernel's own; 0: no roles.
    std::optional<bool> turns{}; ///< Whether products are turns; nullopt: by the options.
    std::string file{};          ///< Of the line; empty: the kernel's.

    std::string describe() const; ///< "loop 14"
    /// Where the entry is in the text and what it names, as value of `sched.by_hand`.
    mlir::Attribute getOrigin(mlir::MLIRContext *context) const;
  };

  /// Where the schedule of a loop was written, and the name that it gives the loop there.
  struct Origin {
    mlir::Location loc;
    std::string loop;
  };
  /// nullopt if the loop's schedule is not from a text.
  static std::optional<Origin> getOrigin(mlir::scf::ForOp loop);

  /// Reads `text`; `name` is the file's in diagnostics.
  static mlir::FailureOr<HandSchedule> parse(llvm::StringRef text, llvm::StringRef name,
                                             mlir::MLIRContext *context);
  /// Reads a file.
  static mlir::FailureOr<HandSchedule> read(llvm::StringRef path, mlir::MLIRContext *context);

  /// The file, or the text if `file` is empty, whose name is `name` in diagnostics.
  static mlir::FailureOr<HandSchedule> get(llvm::StringRef file, llvm::StringRef text,
                                           llvm::StringRef name, mlir::MLIRContext *context) {
    return file.empty() ? parse(text, name, context) : read(file, context);
  }

  bool hasRoles() const {
    return llvm::any_of(entries, [](const Entry &entry) { return entry.producers != 0; });
  }
  /// Which entry is for which loop of `kernel`. Fails with a diagnostic where an entry names no
  /// loop, or two name one.
  mlir::FailureOr<llvm::DenseMap<mlir::Operation *, const Entry *>>
  match(mlir::func::FuncOp kernel) const;

private:
  std::vector<Entry> entries;
};

} // namespace tilerun::schedule
