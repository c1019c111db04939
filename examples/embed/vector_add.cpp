// Adds two vectors on the first device there is (or the one named on the command line), with the
// kernel of ../vector_add.py. Usage: vector_add KERNEL_FILE.py [DEVICE]
#include <tilerun/tilerun.hpp>

#include <cstdio>

static int run(const char *file, const char *id) {
  tilerun::Runtime runtime;
  tilerun::Device device = id ? runtime.open(id) : runtime.open();
  tilerun::Stream stream = device.createStream();
  tilerun::Kernel add = runtime.load(file, "add_kernel").bind("BLOCK_SIZE=1024");

  const uint32_t n = 98432;
  std::vector<float> a(n), b(n);
  for (uint32_t i = 0; i < n; ++i) {
    a[i] = static_cast<float>(i);
    b[i] = 0.5f;
  }
  tilerun::Buffer<float> x(stream, a), y(stream, b), sum(stream, n);
  add.launch(stream, {(n + 1023) / 1024}, x, y, sum, n);

  std::vector<float> result = sum.read();
  for (uint32_t i = 0; i < n; ++i)
    if (result[i] != a[i] + b[i]) {
      std::printf("element %u is %g, not %g\n", i, double(result[i]), double(a[i] + b[i]));
      return 1;
    }
  std::printf("%s (%s): %u sums are right\n", device.id().c_str(), device.name().c_str(), n);
  return 0;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s KERNEL_FILE.py [DEVICE]\n", argv[0]);
    return 2;
  }
  try {
    return run(argv[1], argc > 2 ? argv[2] : nullptr);
  } catch (const tilerun::Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
