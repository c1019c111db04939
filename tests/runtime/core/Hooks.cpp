// Replaces the allocator's entries and pthread_mutex_lock of the whole program.
#include "tests/runtime/core/Hooks.h"

#include <bits/functexcept.h>
#include <cstdlib>
#include <dlfcn.h>
#include <new>
#include <pthread.h>

using namespace tilerun::core::test;

static thread_local HookCounts counts;

HookCounts tilerun::core::test::getHookCounts() { return counts; }

static thread_local uint64_t failing = 0;
static thread_local bool failed = false;

void tilerun::core::test::failAllocation(uint64_t number) {
  failing = number;
  failed = false;
}
bool tilerun::core::test::hasFailedAllocation() { return failed; }

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define TILERUN_SANITIZED 1
#endif
#endif

#ifdef TILERUN_SANITIZED
bool tilerun::core::test::hasHooks() { return false; }
#else
bool tilerun::core::test::hasHooks() { return true; }

void *operator new(size_t bytes) {
  ++counts.allocations;
  if (failing == 1) {
    failing = 0;
    failed = true;
    std::__throw_bad_alloc();
  }
  if (failing)
    --failing;
  void *memory = std::malloc(bytes ? bytes : 1);
  if (!memory)
    std::abort();
  return memory;
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }

extern "C" int pthread_mutex_lock(pthread_mutex_t *mutex) noexcept {
  using Lock = int (*)(pthread_mutex_t *);
  static const Lock original = reinterpret_cast<Lock>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
  ++counts.locks;
  return original(mutex);
}
// The C allocator too: glibc's internal functions behind these names do the work.
extern "C" void *__libc_malloc(size_t bytes); // NOLINT(bugprone-reserved-identifier)
extern "C" void *malloc(size_t bytes) noexcept {
  ++counts.allocations;
  return __libc_malloc(bytes);
}
#endif
