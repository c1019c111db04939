// Diagnostics of the verifier about instructions of warp groups, whatever the target.
// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @shape(%s: !simt.shared, %o: i32, %c: vector<4xf32>) {
  // expected-error @+1 {{'simt.group_mma' op needs a shape of three positive sizes: m, n, k}}
  %d = simt.group_mma "x" [64, 8] a %s[%o] at [0, 0] of <64x16xf16, contiguous 1> b %s[%o] at [0, 0] of <16x8xf16, contiguous 0>, %c : vector<4xf32>
  return
}

// -----

func.func @registers(%s: !simt.shared, %o: i32, %c: vector<6xf32>) {
  // expected-error @+1 {{'simt.group_mma' op has 6 registers of the result in a thread, but 64 x 8 elements over them are not a power of two of threads}}
  %d = simt.group_mma "x" [64, 8, 16] a %s[%o] at [0, 0] of <64x16xf16, contiguous 1> b %s[%o] at [0, 0] of <16x8xf16, contiguous 0>, %c : vector<6xf32>
  return
}

// -----

func.func @operand(%s: !simt.shared, %o: i32, %c: vector<4xf32>) {
  // expected-error @+1 {{'simt.group_mma' op needs its first operand in registers or in shared memory}}
  %d = simt.group_mma "x" [64, 8, 16] b %s[%o] at [0, 0] of <16x8xf16, contiguous 0>, %c : vector<4xf32>
  return
}

// -----

func.func @block(%s: !simt.shared, %o: i32, %c: vector<4xf32>) {
  // expected-error @+1 {{'simt.group_mma' op the first operand needs the two coordinates of its block}}
  %d = simt.group_mma "x" [64, 8, 16] a %s[%o] at [0] of <64x16xf16, contiguous 1> b %s[%o] at [0, 0] of <16x8xf16, contiguous 0>, %c : vector<4xf32>
  return
}

// -----

func.func @outside(%s: !simt.shared, %o: i32, %c: vector<4xf32>) {
  // expected-error @+1 {{'simt.group_mma' op the second operand has a block of 16 elements at 16 in a tile of 16 along dimension 0}}
  %d = simt.group_mma "x" [64, 8, 16] a %s[%o] at [0, 0] of <64x16xf16, contiguous 1> b %s[%o] at [16, 0] of <16x8xf16, contiguous 0>, %c : vector<4xf32>
  return
}

// -----

func.func @start(%s: !simt.shared, %o: i32, %c: vector<4xf32>) {
  // expected-error @+1 {{'simt.group_mma' op the first operand has a block that does not start at 16 bytes of a line whose number is a multiple of 8}}
  %d = simt.group_mma "x" [64, 8, 16] a %s[%o] at [4, 0] of <128x16xf16, contiguous 1> b %s[%o] at [0, 0] of <16x8xf16, contiguous 0>, %c : vector<4xf32>
  return
}

// -----

func.func @alignment(%o: i32, %c: vector<4xf32>) {
  %s = simt.shared_alloc 8192 {alignment = 128 : i64}
  // expected-error @+1 {{'simt.group_mma' op the first operand is in a buffer aligned to 128 bytes, but its tile needs 256}}
  %d = simt.group_mma "x" [64, 8, 16] a %s[%o] at [0, 0] of <64x16xf16, contiguous 1> b %s[%o] at [0, 0] of <16x8xf16, contiguous 0>, %c : vector<4xf32>
  return
}

// -----

func.func @step(%s: !simt.shared, %o: i32, %a: vector<8xf16>, %c: vector<4xf32>) {
  // expected-error @+1 {{'simt.group_mma' op the second operand has lines of 16 bytes along the dimension of the sum, but a step of 16 elements must be in one}}
  %d = simt.group_mma "x" [64, 8, 16] registers %a : vector<8xf16> b %s[%o] at [0, 0] of <8x8xf16, contiguous 0>, %c : vector<4xf32>
  return
}

// -----

func.func @wait(%c: vector<4xf32>) {
  // expected-error @+1 {{'simt.group_mma_wait' op must return the accumulators that it takes}}
  simt.group_mma_wait 0 accs %c : vector<4xf32>
  return
}

// -----

// expected-error @+1 {{a tile of 24 x 16 elements has a size that is not a power of two}}
func.func @size() attributes {t = #simt.tile<24x16xf16, contiguous 1>} { return }

// -----

// expected-error @+1 {{a tile's contiguous dimension must be 0 or 1, but is 2}}
func.func @contiguous() attributes {t = #simt.tile<16x16xf16, contiguous 2>} { return }

// -----

// expected-error @+1 {{a tile of 'index', but its elements must be integers or floats}}
func.func @element() attributes {t = #simt.tile<16x16xindex, contiguous 1>} { return }

// -----

// expected-error @+1 {{a tile of 4 lines of 32 bytes, but it must have 8 or more, of 16 or more bytes}}
func.func @lines() attributes {t = #simt.tile<4x16xf16, contiguous 1>} { return }
