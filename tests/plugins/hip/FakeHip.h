// The controls of the fake runtime, which tests find by dlsym.
#pragma once

extern "C" {
/// The next `times` calls of `function` after `skip` good ones return `error` and do nothing.
void fakeHipFail(const char *function, int error, int skip, int times);
/// Forgets all injected failures.
void fakeHipReset();
/// The number of live objects: allocations, streams, events and modules.
int fakeHipCountAlive();
/// How often `function` was called.
int fakeHipCountCalls(const char *function);
}
