// Options of the driver's compiler, and its log: for loading modules and for linking alike.
#pragma once

#include "plugins/cuda/Driver.h"

#include <string>
#include <vector>

namespace cuda {

class JitOptions {
public:
  /// Lines of the kernel's source are kept where the PTX names them.
  JitOptions(const std::string &image, bool binary);
  JitOptions(const JitOptions &) = delete;
  JitOptions &operator=(const JitOptions &) = delete;

  unsigned getCount() const { return static_cast<unsigned>(names.size()); }
  int *getNames() { return names.data(); }
  void **getValues() { return values.data(); }
  /// "the driver's log:" and what it wrote, with the lines of the kernel that lines of `ptx` are.
  std::string describeLog(const std::string &ptx) const;

private:
  std::vector<char> log;
  std::vector<int> names;
  std::vector<void *> values;
};

} // namespace cuda
