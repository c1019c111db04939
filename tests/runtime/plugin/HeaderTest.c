/* The ABI header is C: it must compile as such, and its layout is asserted in it. */
#include "runtime/include/tilerun/plugin.h"

/* One more file that includes it, so that its definitions do not clash between files. */
const TilerunPlugin *tilerunHeaderTest(const TilerunPlugin *plugin);
const TilerunPlugin *tilerunHeaderTest(const TilerunPlugin *plugin) {
  return TILERUN_HAS(TilerunPlugin, plugin, launch) ? plugin : NULL;
}
