// Dicts of arguments by name, for functions of grids and of heuristics.
#pragma once

#include "python/native/Python.h"

namespace tilerun::python {

struct Named {
  PyObject *name, *value;
};

/// Makes a dict for each call of the same names. It keeps one, which a new one is copied from, so
/// that the copy needs no more room, and has what did not change since the last call: numbers and
/// texts. Other objects are not kept alive from one call to the next.
class DictShape {
public:
  static constexpr size_t kMaxEntries = 1024;
  /// Of at most so many entries; a later one replaces an earlier one of the same name. New
  /// reference; null with an error.
  PyObject *make(const Named *entries, size_t count);

private:
  bool fits(const Named *entries, size_t count) const;
  bool rebuild(const Named *entries, size_t count);

  Ref kept;
  std::vector<Ref> names;
  std::vector<PyObject *> values; ///< By entry, what `kept` has and keeps alive.
};

} // namespace tilerun::python
