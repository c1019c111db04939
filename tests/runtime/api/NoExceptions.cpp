// The C++ API without exceptions in the compiler: a failure ends the program with its message.
#include <tilerun/tilerun.hpp>

int main() {
  tilerun::Runtime runtime;
  tilerun::Device device = runtime.open("abacus:0");
  return device.id().empty() ? 1 : 2;
}
