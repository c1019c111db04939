// What a process does, on a timeline: compiles, passes, loads, copies, launches, tuning. Written as
// Chrome's trace events, which Perfetto and chrome://tracing show.
//
// Off, it costs a launch one test of a byte. Any thread may record; spans of one thread nest.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tilerun {

/// One recorder for the process: an embedder and the libraries that it uses share a timeline.
class Trace {
public:
  struct Event {
    std::string name;
    const char *category;     ///< "compile", "pass", "load", "copy", "launch", "tune".
    uint64_t begin, duration; ///< Nanoseconds since the recording began.
    uint32_t thread;          ///< From 1, in the order in which threads recorded first.
    std::vector<std::pair<const char *, std::string>> notes;
  };
  /// Further events are counted only.
  static constexpr size_t kMostEvents = 1 << 20;

  static bool isOn() { return on.load(std::memory_order_relaxed); }
  /// False if it is on already.
  static bool start();
  /// Ends the recording; false if it is not on. Spans that are still open are lost.
  static bool stop(std::vector<Event> &events, uint64_t &dropped);
  /// Events so far, while it goes on.
  static std::vector<Event> getEvents();
  /// Starts a recording that ends with the process, and goes into the file that the environment's
  /// TILERUN_TRACE names ("%p" in it stands for the process's number). The first call does it, if
  /// nothing is recorded then. Not for programs with more rights than their user.
  static void startFromEnvironment();
  /// A JSON object with `traceEvents`, in UTF-8; times are microseconds.
  static std::string toJson(const std::vector<Event> &events, uint64_t dropped);

private:
  friend class Span;
  static uint64_t now();
  static void add(Event event);
  static std::atomic<bool> on;
};

/// The time from here to the end of the scope. Does nothing if no trace is recorded.
class Span {
public:
  /// `category` and the keys of notes are literals.
  Span(const char *category, const char *name) {
    if (Trace::isOn()) [[unlikely]]
      begin(category, name);
  }
  Span(const char *category, const std::string &name) : Span(category, name.c_str()) {}
  ~Span() {
    if (event) [[unlikely]]
      end();
  }
  Span(const Span &) = delete;
  Span &operator=(const Span &) = delete;

  /// Whether a note would be kept, to save making its text.
  explicit operator bool() const { return event != nullptr; }
  void note(const char *key, std::string value);

private:
  void begin(const char *category, const char *name);
  void end();
  std::unique_ptr<Trace::Event> event;
};

} // namespace tilerun
