// The controls of the fake driver, which tests find by dlsym.
#pragma once

extern "C" {
/// The next `times` calls of `function` after `skip` good ones return `error` and do nothing.
void fakeCudaFail(const char *function, int error, int skip, int times);
/// Forgets all injected failures.
void fakeCudaReset();
/// The number of live objects: allocations, streams, events, modules and retained contexts.
int fakeCudaCountAlive();
/// How often `function` was called.
int fakeCudaCountCalls(const char *function);
}
