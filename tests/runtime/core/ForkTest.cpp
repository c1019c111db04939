// Children of fork, and the devices that their parent has opened.
#include "tests/runtime/core/TestPlugin.h"

#include <sys/wait.h>
#include <unistd.h>

using namespace tilerun;
using namespace tilerun::core;
using namespace tilerun::core::test;

namespace {

/// The exit status of a child that does `work`; -1 for one that was ended by a signal, as by the
/// alarm after a minute.
int runChild(const std::function<int()> &work) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(work());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool isRefused(const Status &status, const std::string &call) {
  const std::string start = call + ": null:0 was opened before this process was forked";
  if (status.getCode() == TILERUN_STATUS_UNAVAILABLE && status.getMessage().starts_with(start))
    return true;
  std::fprintf(stderr, "%s: %s\n", call.c_str(),
               status.isOk() ? "succeeded" : status.getMessage().c_str());
  return false;
}

TEST(Fork, WhatDoesNotSurviveIsRefused) {
  constexpr uint64_t kBytes = 512;
  const uint32_t grid[] = {1, 1, 1};
  auto program = TestProgram::makeAdd();
  Kernel add(program);
  auto launch = [&](Device &device, TilerunAddress memory) {
    const TilerunArgument arguments[] = {pointerTo(memory), pointerTo(memory), pointerTo(memory),
                                         integer(96), integer(128)};
    return add.launch(device.getDefaultStream(), grid, kDefaults, arguments, 5);
  };
  auto use = [&](Device &device, TilerunAddress &memory) {
    const Stream &stream = device.getDefaultStream();
    TILERUN_TRY(device.getPool().allocate(stream, kBytes, memory));
    TILERUN_TRY(stream.fill(memory, 1, 4, kBytes));
    TILERUN_TRY(launch(device, memory));
    return stream.synchronize();
  };

  // The null device is the host's memory, which a child may go on using.
  std::shared_ptr<Device> device = openTestDevice();
  TilerunAddress memory = 0;
  ASSERT_OK(use(*device, memory));
  EXPECT_EQ(runChild([&] { return use(*device, memory).isOk() ? 0 : 1; }), 0);

  // One that says nothing of forks is a driver's.
  const std::shared_ptr<const plugin::Plugin> plugin = getTestPlugin();
  getFaults().isSilentOnForks = true;
  std::shared_ptr<Device> lost;
  ASSERT_OK(Device::open(plugin, device->getInfo(), {}, lost));
  TilerunAddress there = 0;
  std::unique_ptr<Stream> stream;
  std::unique_ptr<Event> event;
  ASSERT_OK(use(*lost, there));
  ASSERT_OK(Stream::create(lost, stream));
  ASSERT_OK(Event::create(lost, 0, event));
  auto inChild = [&] {
    auto count = [](const Counters &all) { return all.all + all.close + all.destroyEvent; };
    const int before = count(getCounters());
    std::unique_ptr<Stream> other;
    std::shared_ptr<Device> again;
    bool isRight = isRefused(launch(*lost, there), "launch");
    isRight &= isRefused(lost->synchronize(), "synchronize device");
    isRight &= isRefused(Stream::create(lost, other), "create stream");
    isRight &= isRefused(stream->fill(there, 1, 4, kBytes), "fill");
    isRight &= isRefused(event->record(*stream), "record event");
    isRight &= isRefused(Device::open(plugin, lost->getInfo(), {}, again), "open device");
    // Releasing does nothing, and waits for nothing.
    event.reset();
    stream.reset();
    lost.reset();
    const int calls = count(getCounters()) - before;
    if (calls)
      std::fprintf(stderr, "%d calls reached the plugin\n", calls);
    isRight &= !calls;
    return isRight ? 0 : 1;
  };
  EXPECT_EQ(runChild([&] { return runChild(inChild) ? 1 : inChild(); }), 0);
  // The parent goes on.
  EXPECT_OK(launch(*lost, there));
  EXPECT_OK(lost->synchronize());
}

} // namespace
