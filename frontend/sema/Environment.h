// The bindings of a function's names at one place of its body, and the paths that have left it.
//
// Rules: a statement is only emitted where no exit has happened, so every exit flag is the
// constant false at the start of a statement. An exit on some run-time path makes its flag an i1;
// what follows is then emitted under its negation.
#pragma once

#include "frontend/sema/Value.h"

#include <map>

namespace tilerun::sema {

/// The binding of a name.
struct Binding {
  enum class State {
    Bound,
    Undefined, ///< Bound on some paths only; `why` and `whyPlace` say where.
    Poisoned   ///< An error was reported; uses are silent.
  };
  State state = State::Bound;
  Value value;
  SourceRange place;
  bool isConstexpr = false; ///< Declared `tl.constexpr`: keeps its compile-time value.
  std::string why;
  SourceRange whyPlace;

  static Binding bound(Value value, SourceRange place) {
    Binding b;
    b.value = std::move(value);
    b.place = place;
    return b;
  }
  static Binding undefined(SourceRange place, std::string why) {
    Binding b;
    b.state = State::Undefined;
    b.whyPlace = place;
    b.why = std::move(why);
    return b;
  }
  static Binding poisoned(SourceRange place) {
    Binding b;
    b.state = State::Poisoned;
    b.place = place;
    return b;
  }
  bool isBound() const { return state == State::Bound; }
  bool isPoisoned() const { return state == State::Poisoned; }
};

/// Names and exits at one place.
struct Environment {
  std::map<llvm::StringRef, Binding> names;
  /// Exit flags: a constant bool, or a run-time i1.
  Value returned{false}, broke{false}, continued{false};
  /// The return value on the paths that returned.
  std::optional<Binding> result;
  /// Every path has left.
  bool unreachable = false;

  bool mayHaveExited() const {
    return returned.isTensor() || broke.isTensor() || continued.isTensor();
  }
};

} // namespace tilerun::sema
