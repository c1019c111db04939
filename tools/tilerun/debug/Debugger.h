// A debugger's state and moves, without the words in which a person or an editor asks for them: the
// recording at hand, the moment and the frame that are looked at, breakpoints and watched memory.
#pragma once

#include "frontend/ast/Ast.h"
#include "frontend/source/Source.h"
#include "tools/tilerun/debug/Debuggee.h"
#include "tools/tilerun/host/Evaluator.h"

namespace tilerun::debug {

struct Breakpoint {
  unsigned id;
  std::string file;      ///< As positions in the kernel name it.
  unsigned line;         ///< Of a statement.
  std::string condition; ///< An expression; empty: always.
  std::optional<uint64_t> program;
  unsigned hits = 0;
};

/// A stretch of an argument's memory; a write to it stops.
struct Watch {
  unsigned id;
  std::string text; ///< "out[3]"
  /// Addresses of its elements and their size.
  std::vector<uint64_t> elements;
  unsigned bytes;
};

/// Why and where the debugger has stopped.
struct Stop {
  enum class Reason {
    Step,
    Breakpoint, ///< `id`.
    Call,       ///< `breakpoint()` in the kernel.
    Watch,      ///< `id`; `detail` says what was written where.
    Goto,       ///< To where a NaN or an infinity appears.
    Birth,      ///< One is about to appear; `detail` says where.
    Fault,      ///< `detail` is the message; the moment is that of the statement that faults.
    ProgramBegin,
    ProgramEnd,
    LaunchEnd
  };
  Reason reason;
  unsigned id = 0;
  std::string detail = {};
};

/// A function on the call stack, innermost first.
struct StackFrame {
  uint32_t activation;
  interp::SourcePosition position; ///< The statement that it is at.
};

class Debugger {
public:
  /// `sources` has the kernel's files. `given`: names that expressions may use besides, such as an
  /// expected result.
  Debugger(Debuggee &debuggee, SourceManager &sources, host::Evaluator::Names given = {});

  //===--- Where it is ---===//
  bool hasStarted() const { return recording.has_value(); }
  const interp::Recording &getRecording() const { return *recording; }
  size_t getMoment() const { return moment; }
  std::vector<StackFrame> getStack() const;
  /// Which of the frames is looked at.
  unsigned getFrame() const { return frame; }
  llvm::Error setFrame(unsigned number);
  const Debuggee &getDebuggee() const { return debuggee; }
  /// What programs have printed since it was asked for: each at its end.
  std::string takeOutput() { return std::exchange(output, {}); }
  llvm::StringRef getLine(const interp::SourcePosition &position);
  unsigned countLines(const interp::SourcePosition &position);

  //===--- Moves; errors are those of Execution::record ---===//
  /// To the first statement of a program.
  llvm::Expected<Stop> start(uint64_t program);
  /// The same, and on to the first stop.
  llvm::Expected<Stop> run(uint64_t program);
  enum class Direction { Forward, Back };
  llvm::Expected<Stop> step(Direction direction); ///< Into functions, and out of them.
  llvm::Expected<Stop> next(Direction direction); ///< Over calls.
  llvm::Expected<Stop> finish();                  ///< Out of the function.
  /// To the next stop, through later programs; backward within the program.
  llvm::Expected<Stop> resume(Direction direction);
  /// To the first NaN (or infinity) that a program makes although it was given none, from this
  /// program on. None: no program does. The result stays valid until the next move.
  llvm::Expected<const interp::Birth *> findBirth(bool isNan);
  /// Looks at the moment of a birth.
  Stop show(const interp::Birth &birth);

  //===--- Stops ---===//
  /// Moves to the next line with a statement if this one has none.
  llvm::Expected<const Breakpoint *> addBreakpoint(llvm::StringRef file, unsigned line,
                                                   llvm::StringRef condition,
                                                   std::optional<uint64_t> program);
  llvm::Expected<const Watch *> addWatch(llvm::StringRef expression);
  llvm::Error removeStop(unsigned id);
  /// The name that positions have for a file with statements, by any path to it; the path itself if
  /// there is none.
  std::string findFile(llvm::StringRef path) const;
  void removeBreakpoints(llvm::StringRef file);
  /// Stops before each statement that makes a NaN, or an infinity, although it was given none.
  void setCaught(bool nans, bool infinities) {
    catchesNans = nans;
    catchesInfinities = infinities;
  }
  bool catchesAny(bool isNan) const { return isNan ? catchesNans : catchesInfinities; }
  llvm::ArrayRef<Breakpoint> getBreakpoints() const { return breakpoints; }
  llvm::ArrayRef<Watch> getWatches() const { return watches; }

  //===--- Values in the frame that is looked at ---===//
  std::vector<const interp::Assignment *> getLocals(unsigned number) const;
  /// The assignment of a name; null if it is not a variable there.
  const interp::Assignment *findVariable(llvm::StringRef name) const;
  /// Names of variables; those of tensors that the kernel got, for their memory, if a parameter is
  /// still what it was given. An error has the diagnostics as text.
  llvm::Expected<host::Value> evaluate(llvm::StringRef expression);
  /// The tensor whose memory a name stands for; null if it is another variable there.
  const Debuggee::Argument *findMemory(llvm::StringRef name) const;
  llvm::Expected<host::Tensor> readMemory(const Debuggee::Argument &argument) const {
    return debuggee.read(argument, recording ? &*recording : nullptr, moment);
  }

private:
  struct Place {
    std::string file;
    unsigned line;
    bool operator<(const Place &o) const { return std::tie(file, line) < std::tie(o.file, o.line); }
  };
  const interp::SourcePosition &getPosition(size_t at) const;
  void collectPlaces(const interp::StepList &steps);
  std::optional<Stop> findStop(size_t at);
  std::optional<Stop> findWrite(size_t begin, size_t end);
  bool canStopIn(uint64_t program) const;
  llvm::Expected<Stop> moveTo(size_t at);
  Stop arrive(size_t at, Stop::Reason reason);
  llvm::Error record(uint64_t program);
  void passEnd(); ///< Of the program.
  llvm::Error requireStarted() const;

  Debuggee &debuggee;
  SourceManager &sources;
  const host::Evaluator::Names given;
  ast::Context trees;
  std::optional<interp::Recording> recording;
  size_t moment = 0;
  unsigned frame = 0;
  std::string output;
  bool ended = false;     ///< The launch, at the end of its last program.
  bool hasCalls = false;  ///< The kernel calls `breakpoint()`.
  std::set<Place> places; ///< Of statements.
  std::vector<Breakpoint> breakpoints;
  std::vector<Watch> watches;
  bool catchesNans = false, catchesInfinities = false;
  unsigned lastId = 0;
};

} // namespace tilerun::debug
