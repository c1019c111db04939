// Threads: one device from many of them.
#include "tests/conformance/Suite.h"

#include <atomic>
#include <thread>

using namespace tilerun;
using namespace tilerun::conformance;

static constexpr int kThreads = 8;

// Runs `work(i)` in threads; the first outcome that is not a pass counts.
template <typename Work> static Outcome inThreads(Work work) {
  std::vector<Outcome> outcomes(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] { outcomes[i] = work(i); });
  for (std::thread &thread : threads)
    thread.join();
  for (Outcome &outcome : outcomes)
    if (outcome.kind != Outcome::Kind::Pass)
      return outcome;
  return {};
}

static Outcome memory(Context &c) {
  plugin::DeviceInfo info = c.info;
  return inThreads([&](int i) -> Outcome {
    // A sink is for one thread, so each has a context that shares the plugin.
    Context own(c.plugin, info);
    TRY(own.open());
    for (int round = 0; round < 50; ++round) {
      TilerunAddress address = 0;
      CALL(own, allocate, c.device, nullptr, 4096 + 64 * i, &address);
      uint32_t in = static_cast<uint32_t>(i * 1000 + round), out = 0;
      CALL(own, fill, c.device, nullptr, address, in, 4, 4096);
      CALL(own, copy_from_device, c.device, nullptr, &out, address + 4092, 4);
      CALL(own, synchronize_stream, c.device, nullptr);
      CALL(own, free, c.device, nullptr, address);
      EXPECT(out == in, "threads saw each other's memory");
    }
    return {};
  });
}

static Outcome launches(Context &c) {
  TilerunPluginKernel *kernel;
  TilerunPluginLaunch prepared;
  TRY(c.loadKernel("tilerun_test_add", kernel, prepared));
  return inThreads([&](int i) -> Outcome {
    Context own(c.plugin, c.info);
    TRY(own.open());
    constexpr int32_t kCount = 300;
    std::vector<int32_t> a(kCount, i), b(kCount, 100), out(kCount);
    TilerunPluginStream *stream;
    TRY(own.makeStream(stream));
    TilerunAddress pa, pb, po;
    TRY(own.allocate(kCount * 4, pa));
    TRY(own.allocate(kCount * 4, pb));
    TRY(own.allocate(kCount * 4, po));
    TRY(own.write(pa, a.data(), kCount * 4));
    TRY(own.write(pb, b.data(), kCount * 4));
    CALL(own, synchronize_device, own.device);
    for (int round = 0; round < 50; ++round) {
      TilerunPluginLaunch launch = prepared;
      launch.grid[0] = (kCount + launch.threads - 1) / launch.threads;
      Arguments arguments;
      arguments.add(po).add(pa).add(pb).add(kCount).setIn(launch);
      CALL(own, launch, kernel, stream, &launch);
      CALL(own, copy_from_device, own.device, stream, out.data(), po, kCount * 4);
      CALL(own, synchronize_stream, own.device, stream);
      EXPECT(out.front() == 100 + i && out.back() == 100 + i, "a launch went wrong among threads");
    }
    return {};
  });
}

static Outcome modules(Context &c) {
  return inThreads([&](int) -> Outcome {
    Context own(c.plugin, c.info);
    TRY(own.open());
    for (int round = 0; round < 10; ++round) {
      TilerunPluginKernel *kernel;
      TilerunPluginLaunch launch;
      TRY(own.loadKernel("tilerun_test_grid", kernel, launch));
    }
    return {};
  });
}

// Loads a kernel's code on the device of another context, and unloads it.
static Outcome loadOnce(Context &own, TilerunPluginDevice *device, const char *name) {
  const TilerunPluginArtifact *artifact = nullptr, *binary = nullptr;
  CALL(own, get_self_test, name, &artifact);
  if (own.table.finalize_artifact) {
    TilerunStatus status = own.table.finalize_artifact(device, artifact, &binary, own.sink());
    own.table.release_artifact(artifact);
    TRY(own.judge(status, "finalize_artifact"));
    artifact = binary;
  }
  TilerunPluginModule *module = nullptr;
  TilerunPluginKernel *kernel = nullptr;
  TilerunStatus status = own.table.load_module
                             ? own.table.load_module(device, artifact, &module, own.sink())
                             : TilerunStatus(TILERUN_STATUS_UNSUPPORTED);
  own.table.release_artifact(artifact);
  TRY(own.judge(status, "load_module"));
  Outcome outcome = [&]() -> Outcome {
    CALL(own, get_kernel, module, name, &kernel);
    return {};
  }();
  own.table.unload_module(module);
  return outcome;
}

// As tuning does: one thread launches while others load code on the same device.
static Outcome loadsBesideLaunches(Context &c) {
  TilerunPluginKernel *kernel;
  TilerunPluginLaunch prepared;
  TRY(c.loadKernel("tilerun_test_add", kernel, prepared));
  constexpr int32_t kCount = 300, kRounds = 50;
  std::vector<int32_t> a(kCount, 1), b(kCount, 2);
  TilerunPluginStream *stream;
  TRY(c.makeStream(stream));
  TilerunAddress pa, pb, po;
  TRY(c.allocate(kCount * 4, pa));
  TRY(c.allocate(kCount * 4, pb));
  TRY(c.allocate(kCount * 4, po));
  TRY(c.write(pa, a.data(), kCount * 4));
  TRY(c.write(pb, b.data(), kCount * 4));
  std::atomic<bool> isDone{false};
  return inThreads([&](int i) -> Outcome {
    Context own(c.plugin, c.info); // For a sink.
    if (i) {
      do
        TRY(loadOnce(own, c.device, "tilerun_test_grid"));
      while (!isDone);
      return {};
    }
    Outcome outcome = [&]() -> Outcome {
      for (int32_t round = 0; round < kRounds; ++round) {
        TilerunPluginLaunch launch = prepared;
        launch.grid[0] = (kCount + launch.threads - 1) / launch.threads;
        Arguments arguments;
        arguments.add(po).add(pa).add(pb).add(kCount).setIn(launch);
        std::vector<int32_t> out(kCount);
        CALL(own, fill, c.device, stream, po, 0, 4, kCount);
        CALL(own, launch, kernel, stream, &launch);
        CALL(own, copy_from_device, c.device, stream, out.data(), po, kCount * 4);
        CALL(own, synchronize_stream, c.device, stream);
        EXPECT(out.front() == 3 && out.back() == 3, "a launch went wrong beside loads");
      }
      return {};
    }();
    isDone = true;
    return outcome;
  });
}

static Outcome openAndClose(Context &c) {
  return inThreads([&](int) -> Outcome {
    for (int round = 0; round < 20; ++round) {
      Context own(c.plugin, c.info);
      TRY(own.open());
      TilerunAddress address;
      TRY(own.allocate(64, address));
    }
    return {};
  });
}

static Outcome errorsStayApart(Context &c) {
  // Failing in one thread does not show in another.
  return inThreads([&](int i) -> Outcome {
    Context own(c.plugin, c.info);
    TRY(own.open());
    for (int round = 0; round < 50; ++round) {
      TilerunAddress address = 0;
      if (i % 2)
        CALL_FAILS(own, TILERUN_STATUS_OUT_OF_MEMORY, allocate, own.device, nullptr,
                   uint64_t(1) << 62, &address);
      else
        TRY(own.allocate(256, address));
    }
    return {};
  });
}

std::vector<Case> conformance::getThreadCases() {
  return {{"threads", "memory", memory},
          {"threads", "launches", launches},
          {"threads", "modules", modules},
          {"threads", "loads-beside-launches", loadsBesideLaunches},
          {"threads", "open-and-close", openAndClose},
          {"threads", "errors-stay-apart", errorsStayApart}};
}
