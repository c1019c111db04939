// See Host.h.
#include "plugins/cpu/Host.h"

#include <algorithm>
#include <thread>
#include <unistd.h>

using namespace tilerun;

uint64_t cpu::getMemoryBytes() {
  return uint64_t(sysconf(_SC_PHYS_PAGES)) * uint64_t(sysconf(_SC_PAGE_SIZE));
}

unsigned cpu::getNumCores() { return std::max(1u, std::thread::hardware_concurrency()); }
