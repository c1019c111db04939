// What one program did, statement by statement: the values that its variables got, its writes to
// memory with the bytes before and after them, and where NaNs and infinities came from. A debugger
// moves in it in both directions.
//
// A moment is a statement that is about to run, or one that goes on after a call; the one after the
// last is the end of the program.
#pragma once

#include "backends/interpreter/Program.h"

#include "llvm/ADT/StringRef.h"

#include <map>
#include <memory>
#include <optional>

namespace tilerun::interp {

/// A call of a function, inlined or not. Number 0 is the kernel.
struct Activation {
  llvm::StringRef function; ///< Qualified name.
  uint32_t caller = 0;      ///< Another activation; its own number for the kernel.
  uint32_t depth = 0;
  uint32_t source = 0; ///< Of its definition, with the calls that lead there; in Program::sources.
};

struct Moment {
  uint32_t source = 0;
  uint32_t activation = 0;
  uint32_t assignments = 0, writes = 0; ///< How many happened before it.
  bool isBreak = false;                 ///< The statement is `breakpoint()`.
  bool isReturn = false; ///< A call of the statement has ended, and the rest is about to run.
};

/// A variable gets a value.
struct Assignment {
  const Step *step; ///< Of the event: dtype, shape, texts.
  uint32_t activation;
  uint32_t moment; ///< During which it happens.
  /// The elements, in row-major order; null for what is known at compile time.
  std::shared_ptr<const std::string> bytes;

  llvm::StringRef getName() const { return llvm::StringRef(step->text).split('\0').first; }
  /// The type in the source; without a value, the value as text.
  llvm::StringRef getText() const { return llvm::StringRef(step->text).split('\0').second; }
};

/// A stretch of memory is written.
struct MemoryWrite {
  const Step *step;
  uint64_t address;
  uint32_t bytes;
  uint32_t moment;
  size_t before, after; ///< Where the contents are in Recording::contents.
};

/// A NaN or an infinity appears in a result although no operand had one.
struct Birth {
  /// An operand: its element, or that of an operand whose elements all matter.
  struct Input {
    std::string name;         ///< The variable; empty if it has none.
    bool isBroadcast = false; ///< Its elements are not those of the variable.
    Dtype type;
    size_t elements = 1; ///< More than 1: what follows is the range of all.
    double least = 0, most = 0;
  };
  bool isNan;
  const Step *step;
  uint32_t activation, moment;
  size_t element; ///< The first one, row-major.
  size_t count;   ///< Of such elements.
  double value;
  uint64_t address = 0; ///< Of a load: where it was read.
  std::vector<Input> inputs;
};

/// Move-only; refers to the program that it is of.
struct Recording {
  static constexpr size_t kMostBirths = 64; ///< Of each kind; the first ones.

  uint64_t program = 0; ///< Linear index.
  std::vector<Activation> activations;
  std::vector<Moment> moments;
  std::vector<Assignment> assignments;
  std::vector<MemoryWrite> writes;
  std::string contents;
  std::vector<Birth> births;
  std::string fault; ///< Why the program ended early; empty if it did not.
  /// The output of device_print, of this program and of those that ran before it for this
  /// recording.
  std::string printed, printedBefore;

  size_t getEnd() const { return moments.size(); }
  /// How many assignments, and writes, happened before a moment.
  size_t countAssignments(size_t moment) const;
  size_t countWrites(size_t moment) const;
  uint32_t getActivation(size_t moment) const {
    return moment < moments.size() ? moments[moment].activation : 0;
  }
  /// The last value that a variable of an activation got before a moment; null if it has none.
  const Assignment *find(size_t moment, uint32_t activation, llvm::StringRef name) const;
  /// All variables of an activation that have a value, in the order of their first assignment.
  std::vector<const Assignment *> getVariables(size_t moment, uint32_t activation) const;
  /// Turns the memory of [address, address + bytes.size()) as it is after the program into that
  /// before a moment.
  void rewind(size_t moment, uint64_t address, llvm::MutableArrayRef<uint8_t> bytes) const;

  /// Fills the index that `find` uses, once all is recorded.
  void finish();

private:
  /// Assignments by variable, ascending.
  std::map<std::pair<uint32_t, llvm::StringRef>, std::vector<uint32_t>> byVariable;
};

} // namespace tilerun::interp
