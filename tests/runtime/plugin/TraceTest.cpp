// The recorder of traces: nothing while it is off, spans of several threads, notes, JSON that any
// text leaves valid.
#include "runtime/plugin/Trace.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <thread>

using namespace tilerun;

namespace {

std::vector<Trace::Event> stop() {
  std::vector<Trace::Event> events;
  uint64_t dropped = 0;
  EXPECT_TRUE(Trace::stop(events, dropped));
  EXPECT_EQ(dropped, 0u);
  return events;
}

TEST(Trace, RecordsNothingWhileItIsOff) {
  {
    Span span("compile", "before");
  }
  EXPECT_FALSE(Trace::isOn());
  ASSERT_TRUE(Trace::start());
  EXPECT_TRUE(Trace::isOn());
  EXPECT_FALSE(Trace::start()) << "it is on";
  EXPECT_TRUE(stop().empty());
  std::vector<Trace::Event> events;
  uint64_t dropped = 0;
  EXPECT_FALSE(Trace::stop(events, dropped)) << "it is off";
}

TEST(Trace, SpansNestAndHaveNotes) {
  ASSERT_TRUE(Trace::start());
  {
    Span outer("compile", std::string("outer"));
    EXPECT_TRUE(bool(outer));
    outer.note("target", "cuda:sm_90a");
    Span inner("pass", "inner");
  }
  std::vector<Trace::Event> events = stop();
  ASSERT_EQ(events.size(), 2u);
  const Trace::Event &inner = events[0], &outer = events[1];
  EXPECT_EQ(inner.name, "inner");
  EXPECT_EQ(outer.name, "outer");
  EXPECT_LE(outer.begin, inner.begin);
  EXPECT_GE(outer.begin + outer.duration, inner.begin + inner.duration);
  EXPECT_EQ(inner.thread, outer.thread);
  ASSERT_EQ(outer.notes.size(), 1u);
  EXPECT_EQ(outer.notes[0].second, "cuda:sm_90a");
}

TEST(Trace, ASpanThatOutlivesItsTraceIsInNoOther) {
  ASSERT_TRUE(Trace::start());
  auto span = std::make_unique<Span>("compile", "late");
  EXPECT_TRUE(stop().empty());
  ASSERT_TRUE(Trace::start());
  span.reset();
  EXPECT_TRUE(stop().empty());
}

TEST(Trace, ThreadsAreNumberedInEachTrace) {
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(Trace::start());
    {
      Span span("copy", "here");
    }
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i)
      threads.emplace_back([] {
        for (int n = 0; n < 100; ++n)
          Span span("copy", "there");
      });
    for (std::thread &thread : threads)
      thread.join();
    std::vector<Trace::Event> events = stop();
    ASSERT_EQ(events.size(), 301u);
    EXPECT_EQ(events[0].thread, 1u);
    for (uint32_t thread = 2; thread <= 4; ++thread)
      EXPECT_EQ(std::count_if(events.begin(), events.end(),
                              [&](const Trace::Event &event) { return event.thread == thread; }),
                100);
  }
}

TEST(Trace, JsonIsValidForAnyText) {
  Trace::Event event{"a\"b\\c\n\xff\xc3\xa4\xed\xa0\x80", "load", 1234567, 5, 2, {{"key", "\t"}}};
  EXPECT_EQ(Trace::toJson({event}, 7),
            "{\"displayTimeUnit\": \"ms\", \"droppedEvents\": 7, \"traceEvents\": [\n"
            "{\"ph\": \"M\", \"pid\": 1, \"name\": \"process_name\", \"args\": {\"name\": "
            "\"tilerun\"}},\n"
            "{\"ph\": \"X\", \"pid\": 1, \"tid\": 2, \"cat\": \"load\", \"name\": "
            "\"a\\\"b\\\\c\\u000a\\ufffd\xc3\xa4\\ufffd\\ufffd\\ufffd\", \"ts\": 1234.567, "
            "\"dur\": 0.005, \"args\": {\"key\": \"\\u0009\"}}\n"
            "]}\n");
}

} // namespace
