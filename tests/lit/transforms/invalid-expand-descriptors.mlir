// Ops that neither work on descriptors nor carry them.
// RUN: tile-opt %s --tile-expand-descriptors --split-input-file --verify-diagnostics

func.func @region(%d: !tile.descriptor<16xi32>) -> i64 {
  // expected-error @below {{failed to legalize operation 'scf.execute_region'}}
  %e = scf.execute_region -> !tile.descriptor<16xi32> {
    scf.yield %d : !tile.descriptor<16xi32>
  }
  %n = tile.descriptor_size %e axis 0 : !tile.descriptor<16xi32>
  return %n : i64
}
