// See Host.h.
#include "plugins/cpu/Host.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <unistd.h>

using namespace tilerun;

uint64_t cpu::getMemoryBytes() {
  return uint64_t(sysconf(_SC_PHYS_PAGES)) * uint64_t(sysconf(_SC_PAGE_SIZE));
}

bool cpu::areBoundsChecked() {
  const char *text = std::getenv("TILERUN_BOUNDS_CHECKS");
  return !text || std::string_view(text) != "0";
}

unsigned cpu::getNumCores() { return std::max(1u, std::thread::hardware_concurrency()); }
