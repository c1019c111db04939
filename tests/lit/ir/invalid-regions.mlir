// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @axis(%x: tensor<8xf32>) {
  // expected-error @below {{axis 1 is out of range; the operands have rank 1}}
  %0 = tile.reduce %x axis 1 : (tensor<8xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @result(%x: tensor<4x8xf32>) {
  // expected-error @below {{reducing 'tensor<4x8xf32>' along axis 0 gives 'tensor<8xf32>', not 'tensor<4xf32>'}}
  %0 = tile.reduce %x axis 0 : (tensor<4x8xf32>) -> tensor<4xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @results(%x: tensor<8xf32>) {
  // expected-error @below {{has 1 operands, but 2 results}}
  %0:2 = tile.reduce %x axis 0 : (tensor<8xf32>) -> (f32, f32) {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @no_operands() {
  // expected-error @below {{expected 1 or more operands, but found 0}}
  tile.reduce axis 0 : () -> () {
    tile.yield
  }
  return
}

// -----

func.func @shapes(%x: tensor<8xf32>, %y: tensor<4xf32>) {
  // expected-error @below {{requires the same shape for all operands}}
  %0:2 = tile.reduce %x, %y axis 0 : (tensor<8xf32>, tensor<4xf32>) -> (f32, f32) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    tile.yield %a, %b : f32, f32
  }
  return
}

// -----

func.func @argument_count(%x: tensor<8xf32>) {
  // expected-error @below {{the combine region must take 2 values, but has 1}}
  %0 = tile.reduce %x axis 0 : (tensor<8xf32>) -> f32 {
  ^bb0(%a: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @argument_type(%x: tensor<8xf32>) {
  // expected-error @below {{combine argument 1 must be 'f32', but is 'i32'}}
  %0 = tile.reduce %x axis 0 : (tensor<8xf32>) -> f32 {
  ^bb0(%a: f32, %b: i32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @yield_count(%x: tensor<8xf32>) {
  // expected-error @below {{the combine region must yield 1 values, but yields 2}}
  %0 = tile.reduce %x axis 0 : (tensor<8xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a, %b : f32, f32
  }
  return
}

// -----

func.func @yield_type(%x: tensor<8xf32>, %i: i32) {
  // expected-error @below {{yielded value 0 must be 'f32', but is 'i32'}}
  %0 = tile.reduce %x axis 0 : (tensor<8xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    tile.yield %i : i32
  }
  return
}

// -----

func.func @side_effects(%x: tensor<8xf32>, %p: !tile.ptr<f32>) {
  // expected-error @below {{the combine region must be free of side effects}}
  %0 = tile.reduce %x axis 0 : (tensor<8xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    // expected-note @below {{'tile.load' has some}}
    %c = tile.load %p : !tile.ptr<f32>
    tile.yield %c : f32
  }
  return
}

// -----

func.func @scan_result(%x: tensor<8xf32>) {
  // expected-error @below {{scanning 'tensor<8xf32>' gives the same type, not 'tensor<4xf32>'}}
  %0 = tile.scan %x axis 0 : (tensor<8xf32>) -> tensor<4xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @scan_axis(%x: tensor<8xf32>) {
  // expected-error @below {{axis 7 is out of range; the operands have rank 1}}
  %0 = tile.scan %x axis 7 : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @lost_yield(%x: f32) {
  // expected-error @below {{expects parent op to be one of 'tile.reduce, tile.scan, tile.map'}}
  tile.yield %x : f32
}

// -----

func.func @other_terminator(%x: tensor<8xf32>) {
  // expected-error @below {{the combine region must end with tile.yield}}
  %0 = tile.reduce %x axis 0 : (tensor<8xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    "ub.unreachable"() : () -> ()
  }
  return
}

// -----

func.func @map_arguments(%x: tensor<8xf32>) {
  // expected-error @below {{the region must take 1 values and yield 1, but it takes 2 and yields 1}}
  %0 = tile.map %x : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @map_result(%x: tensor<8xf32>) {
  // expected-error @below {{result 0 must be 'tensor<8xf32>', but is 'tensor<8xf16>'}}
  %0 = tile.map %x : (tensor<8xf32>) -> tensor<8xf16> {
  ^bb0(%a: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @map_effects(%x: tensor<8xf32>, %p: !tile.ptr<f32>) {
  // expected-error @below {{the map region must be free of side effects}}
  %0 = tile.map %x : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: f32):
    // expected-note @below {{'tile.store' has some}}
    tile.store %p, %a : !tile.ptr<f32>
    tile.yield %a : f32
  }
  return
}
