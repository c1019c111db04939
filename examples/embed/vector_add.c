/* The same as vector_add.cpp, in C. Usage: vector_add_c KERNEL_FILE.py [DEVICE] */
#include <tilerun/tilerun.h>

#include <stdio.h>
#include <stdlib.h>

/* Ends the program with the message of what failed. */
static void check(TilerunStatus status) {
  if (status == TILERUN_STATUS_OK)
    return;
  fprintf(stderr, "%s\n", tilerunGetErrorMessage());
  exit(1);
}

enum { kCount = 98432, kBlock = 1024 };
static float a[kCount], b[kCount], sum[kCount];

int main(int argc, char **argv) {
  TilerunRuntime *runtime = NULL;
  TilerunDevice *device = NULL;
  TilerunKernel *kernel = NULL;
  TilerunAddress memory[3] = {0, 0, 0};
  if (argc < 2) {
    fprintf(stderr, "usage: %s KERNEL_FILE.py [DEVICE]\n", argv[0]);
    return 2;
  }
  check(tilerunCreateRuntime(NULL, &runtime));
  check(tilerunOpenDevice(runtime, argc > 2 ? argv[2] : NULL, NULL, &device));
  check(tilerunLoadKernel(runtime, argv[1], "add_kernel", &kernel));
  TilerunStream *stream = tilerunGetDefaultStream(device);

  for (int i = 0; i < kCount; ++i) {
    a[i] = (float)i;
    b[i] = 0.5f;
  }
  for (int i = 0; i < 3; ++i)
    check(tilerunAllocate(stream, sizeof(a), &memory[i]));
  check(tilerunCopyToDevice(stream, memory[0], a, sizeof(a)));
  check(tilerunCopyToDevice(stream, memory[1], b, sizeof(b)));

  TilerunArgument arguments[5] = {
      {TILERUN_ARGUMENT_POINTER, TILERUN_DTYPE_FP32, 0, {.address = memory[0]}},
      {TILERUN_ARGUMENT_POINTER, TILERUN_DTYPE_FP32, 0, {.address = memory[1]}},
      {TILERUN_ARGUMENT_POINTER, TILERUN_DTYPE_FP32, 0, {.address = memory[2]}},
      {TILERUN_ARGUMENT_INTEGER, TILERUN_DTYPE_AUTO, 0, {.integer = kCount}},
      {TILERUN_ARGUMENT_INTEGER, TILERUN_DTYPE_AUTO, 0, {.integer = kBlock}}};
  TilerunLaunchOptions launch = {
      sizeof(launch), {(kCount + kBlock - 1) / kBlock, 1, 1}, NULL, 0, 0, NULL};
  check(tilerunLaunch(stream, kernel, &launch, arguments, 5));
  check(tilerunCopyFromDevice(stream, sum, memory[2], sizeof(sum)));
  check(tilerunSynchronizeStream(stream));

  for (int i = 0; i < kCount; ++i)
    if (sum[i] != a[i] + b[i]) {
      printf("element %d is %g, not %g\n", i, (double)sum[i], (double)(a[i] + b[i]));
      return 1;
    }
  printf("%s: %d sums are right\n", tilerunGetDeviceId(device), kCount);
  for (int i = 0; i < 3; ++i)
    check(tilerunFree(stream, memory[i]));
  tilerunReleaseKernel(kernel);
  tilerunCloseDevice(device);
  tilerunDestroyRuntime(runtime);
  return 0;
}
