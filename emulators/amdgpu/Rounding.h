// Rounding other than to the nearest even value, as MODE asks for.
//
// Functions of instructions round as the host does, so that the host is set for one instruction,
// and to the nearest value after it. Of each of MODE's directions the host has the same, and
// operations that round twice on their way (16-bit floats in single or double precision) give the
// same in a direction as those that round once, since each number of the narrower format is one of
// the wider. Compilers take it that the host rounds to the nearest value; that does no harm here:
// instructions run through pointers to functions, so that none of their arithmetic leaves the call,
// and their operands are never known to the compiler. Arithmetic that forbids the assumption
// (-frounding-math) would not run in vector registers.
#ifndef TILERUN_EMULATORS_AMDGPU_ROUNDING_H
#define TILERUN_EMULATORS_AMDGPU_ROUNDING_H

#include "emulators/amdgpu/Wave.h"

#include <cfenv>

namespace tilerun::amdsim {

// The host's floating-point environment as it is at a program's start, until this ends; then the
// caller's again. Instructions are executed where one exists: a caller of the library may have set
// another rounding, or that subnormal numbers are zeros.
class UsualEnvironment {
public:
  UsualEnvironment() {
    std::fegetenv(&callers);
    std::fesetenv(FE_DFL_ENV);
  }
  ~UsualEnvironment() { std::fesetenv(&callers); }
  UsualEnvironment(const UsualEnvironment &) = delete;

private:
  std::fenv_t callers;
};

// Executes an instruction of a wave whose MODE has another direction than the nearest even value.
// A fault where it is not known how the instruction rounds then.
void runDirected(Wave &w, const Instruction &i);

} // namespace tilerun::amdsim

#endif
