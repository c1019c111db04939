/* The API's header is C99 too, and its layout is asserted in it. */
#include <tilerun/tilerun.h>

/* Every function can be named from C, and a struct made without the library. */
TilerunStatus tilerunApiHeaderTest(TilerunStream *stream, TilerunKernel *kernel);
TilerunStatus tilerunApiHeaderTest(TilerunStream *stream, TilerunKernel *kernel) {
  TilerunLaunchOptions options = {sizeof(options), {1, 1, 1}, 0, 0, 0, 0};
  TilerunArgument argument = {TILERUN_ARGUMENT_NONE, TILERUN_DTYPE_AUTO, 0, {0}};
  return tilerunLaunch(stream, kernel, &options, &argument, 1);
}
