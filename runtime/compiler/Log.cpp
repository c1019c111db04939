// Where the texts go that compilations tell.
#include "runtime/compiler/Programs.h"

using namespace tilerun;
using namespace tilerun::compiler;

static constinit thread_local DeferredLog *deferred = nullptr;

DeferredLog::DeferredLog() { deferred = this; }
DeferredLog::~DeferredLog() { deferred = nullptr; }

Log compiler::makeDeferrable(Log log) {
  return [log = std::move(log)](int32_t level, const std::string &text) {
    if (deferred)
      deferred->calls.emplace_back([log, level, text] { log(level, text); });
    else
      log(level, text);
  };
}
