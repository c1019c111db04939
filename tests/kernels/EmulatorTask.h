// A coroutine of a warp. The interpreter of per-thread IR recurses over regions, and a warp must be
// able to stop at any depth and go on later: each level is one of these, and a warp keeps the
// handles of its levels, innermost last. So one warp costs some hundred bytes, no stack of its own,
// and sanitizers need to know nothing of it, as they do with switched stacks.
#pragma once

#include <coroutine>
#include <cstdlib>
#include <utility>
#include <vector>

namespace tilerun::test::emulator {

/// Runs the levels of a warp's coroutines until one of them pauses.
class Levels {
public:
  /// Goes on at the innermost level, up to the next pause or the end.
  void resume() {
    isPaused = false;
    while (!handles.empty() && !isPaused) {
      std::coroutine_handle<> innermost = handles.back();
      innermost.resume();
      if (innermost.done())
        handles.pop_back();
    }
  }
  bool isDone() const { return handles.empty(); }
  void enter(std::coroutine_handle<> handle) { handles.push_back(handle); }

  /// `co_await levels.pause()`: returns to the caller of resume().
  auto pause() {
    struct Pause {
      Levels &levels;
      bool await_ready() const noexcept { return false; }
      void await_suspend(std::coroutine_handle<>) const noexcept { levels.isPaused = true; }
      void await_resume() const noexcept {}
    };
    return Pause{*this};
  }

private:
  std::vector<std::coroutine_handle<>> handles;
  bool isPaused = false;
};

/// A member function of a class with `Levels levels` that may pause; it gives whether it succeeded.
/// It begins when it is awaited.
class Task {
public:
  struct promise_type {
    template <typename Owner, typename... Arguments>
    explicit promise_type(Owner &owner, Arguments &&...) : levels(owner.levels) {}
    Task get_return_object() {
      return Task(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_value(bool value) { result = value; }
    void unhandled_exception() { std::abort(); } // nothing throws
    Levels &levels;
    bool result = false;
  };

  Task() = default;
  Task(Task &&other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  Task &operator=(Task &&other) noexcept {
    std::swap(handle, other.handle);
    return *this;
  }
  ~Task() {
    if (handle)
      handle.destroy();
  }
  /// As the outermost level.
  void start() { handle.promise().levels.enter(handle); }

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<>) { start(); }
  bool await_resume() const { return handle.promise().result; }

private:
  explicit Task(std::coroutine_handle<promise_type> handle) : handle(handle) {}
  std::coroutine_handle<promise_type> handle;
};

} // namespace tilerun::test::emulator
