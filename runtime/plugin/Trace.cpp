// See Trace.h.
#include "runtime/plugin/Trace.h"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <tuple>
#include <unistd.h>

using namespace tilerun;

std::atomic<bool> Trace::on = false;

namespace {
struct Recording {
  std::mutex mutex; ///< Guards what follows.
  uint64_t start = 0;
  uint32_t generation = 0; ///< Of recordings: threads are numbered anew in each.
  uint32_t numThreads = 0;
  uint64_t dropped = 0;
  std::vector<Trace::Event> events;
};
} // namespace

static Recording &getRecording() {
  // Never destroyed: threads may end after statics have been.
  static auto *recording = new Recording;
  return *recording;
}

uint64_t Trace::now() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::steady_clock::now().time_since_epoch())
                                   .count());
}

bool Trace::start() {
  Recording &recording = getRecording();
  std::lock_guard lock(recording.mutex);
  if (on.load(std::memory_order_relaxed))
    return false;
  recording.events.clear();
  recording.dropped = recording.numThreads = 0;
  ++recording.generation;
  recording.start = now();
  on.store(true, std::memory_order_relaxed);
  return true;
}

bool Trace::stop(std::vector<Event> &events, uint64_t &dropped) {
  Recording &recording = getRecording();
  std::lock_guard lock(recording.mutex);
  if (!on.exchange(false, std::memory_order_relaxed))
    return false;
  events = std::exchange(recording.events, {});
  dropped = recording.dropped;
  return true;
}

std::vector<Trace::Event> Trace::getEvents() {
  Recording &recording = getRecording();
  std::lock_guard lock(recording.mutex);
  return recording.events;
}

void Trace::add(Event event) {
  thread_local uint32_t generation = 0, thread = 0;
  Recording &recording = getRecording();
  std::lock_guard lock(recording.mutex);
  // A span that began in an earlier recording is not part of this one.
  if (!on.load(std::memory_order_relaxed) || event.begin < recording.start)
    return;
  if (generation != recording.generation)
    std::tie(generation, thread) = std::pair(recording.generation, ++recording.numThreads);
  if (recording.events.size() >= kMostEvents) {
    ++recording.dropped;
    return;
  }
  event.begin -= recording.start;
  event.thread = thread;
  recording.events.push_back(std::move(event));
}

/// Writes beside the file, and renames, so that there is never half of one. An error goes to
/// stderr: nobody else is left.
static void writeAtExit(const std::string &path) {
  std::vector<Trace::Event> events;
  uint64_t dropped = 0;
  if (!Trace::stop(events, dropped))
    return;
  const std::string temporary = path + "." + std::to_string(getpid()) + ".tmp";
  const std::string text = Trace::toJson(events, dropped);
  std::FILE *file = std::fopen(temporary.c_str(), "wb");
  bool written = file && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  written = (!file || std::fclose(file) == 0) && written;
  if (written && std::rename(temporary.c_str(), path.c_str()) == 0)
    return;
  std::fprintf(stderr, "tilerun: error: TILERUN_TRACE: cannot write '%s': %s\n", path.c_str(),
               std::strerror(errno));
  if (file)
    std::remove(temporary.c_str());
}

void Trace::startFromEnvironment() {
  static const bool once = [] {
    const char *text = secure_getenv("TILERUN_TRACE");
    if (!text || !*text || !start())
      return false;
    static std::string path = text;
    if (size_t at = path.find("%p"); at != std::string::npos)
      path.replace(at, 2, std::to_string(getpid()));
    // A forked child has its parent's events, and no business with its parent's file.
    static const pid_t owner = getpid();
    return std::atexit([] {
             if (getpid() == owner)
               writeAtExit(path);
           }) == 0;
  }();
  (void)once;
}

void Span::begin(const char *category, const char *name) {
  event = std::make_unique<Trace::Event>(Trace::Event{name, category, Trace::now(), 0, 0, {}});
}

void Span::end() {
  event->duration = Trace::now() - event->begin;
  Trace::add(std::move(*event));
}

void Span::note(const char *key, std::string value) {
  if (event)
    event->notes.emplace_back(key, std::move(value));
}

//===----------------------------------------------------------------------===//
// Chrome's trace events
//===----------------------------------------------------------------------===//

/// Bytes of a sequence of UTF-8 that begins at `at`; 0 if it is not valid.
static size_t getSequence(const std::string &text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  const size_t size = first < 0x80                    ? 1
                      : first >= 0xC2 && first < 0xE0 ? 2
                      : first >= 0xE0 && first < 0xF0 ? 3
                      : first >= 0xF0 && first < 0xF5 ? 4
                                                      : 0;
  if (!size || at + size > text.size())
    return 0;
  for (size_t i = 1; i < size; ++i)
    if ((byte(at + i) & 0xC0) != 0x80)
      return 0;
  // Overlong forms, surrogates, and what lies behind the last code point.
  const unsigned char second = size > 1 ? byte(at + 1) : 0;
  const bool isInvalid = (first == 0xE0 && second < 0xA0) || (first == 0xED && second >= 0xA0) ||
                         (first == 0xF0 && second < 0x90) || (first == 0xF4 && second >= 0x90);
  return isInvalid ? 0 : size;
}

static void addString(std::string &out, const std::string &text) {
  out += '"';
  for (size_t i = 0; i < text.size();) {
    const size_t size = getSequence(text, i);
    const char c = text[i];
    if (size == 0) {
      out += "\\ufffd";
    } else if (c == '"' || c == '\\') {
      (out += '\\') += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof(escaped), "\\u%04x", static_cast<unsigned>(c));
      out += escaped;
    } else {
      out.append(text, i, size);
    }
    i += size ? size : 1;
  }
  out += '"';
}

static void addMicroseconds(std::string &out, uint64_t nanoseconds) {
  char text[40];
  std::snprintf(text, sizeof(text), "%llu.%03u",
                static_cast<unsigned long long>(nanoseconds / 1000),
                static_cast<unsigned>(nanoseconds % 1000));
  out += text;
}

std::string Trace::toJson(const std::vector<Event> &events, uint64_t dropped) {
  std::string out = "{\"displayTimeUnit\": \"ms\", \"droppedEvents\": " + std::to_string(dropped) +
                    ", \"traceEvents\": [\n";
  out += R"({"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "tilerun"}})";
  for (const Event &event : events) {
    out +=
        ",\n{\"ph\": \"X\", \"pid\": 1, \"tid\": " + std::to_string(event.thread) + ", \"cat\": ";
    addString(out, event.category);
    out += ", \"name\": ";
    addString(out, event.name);
    out += ", \"ts\": ";
    addMicroseconds(out, event.begin);
    out += ", \"dur\": ";
    addMicroseconds(out, event.duration);
    if (!event.notes.empty()) {
      out += ", \"args\": {";
      for (size_t i = 0; i < event.notes.size(); ++i) {
        out += i ? ", " : "";
        addString(out, event.notes[i].first);
        out += ": ";
        addString(out, event.notes[i].second);
      }
      out += "}";
    }
    out += "}";
  }
  return out + "\n]}\n";
}
