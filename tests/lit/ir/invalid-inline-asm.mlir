// Diagnostics of the verifier about inline assembly.
// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{has 2 input constraints, but the arguments take 1 register with pack=1}}
  %0 = tile.inline_asm pure "x" constraints "=f,f,f" as "asm" %x : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{has 1 output constraint, but the results take 2 registers with pack=2}}
  %0 = tile.inline_asm pure "x" constraints "=f,f,f" as "asm" pack 2 %x : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{operands and results must have one shape}}
  %0 = tile.inline_asm pure "x" constraints "=f,f" as "asm" %x : (tensor<8xf32>) -> f32
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{names operand $2, but there are 2, counted from 0}}
  %0 = tile.inline_asm pure "neg $0, $2;" constraints "=f,f" as "asm" %x : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{has a '$' that no operand's number follows}}
  %0 = tile.inline_asm pure "neg $0, $x;" constraints "=f,f" as "asm" %x : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{has '${1' without '}' after it}}
  %0 = tile.inline_asm pure "neg $0, ${1;" constraints "=f,f" as "asm" %x : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{must have its constraints in order: outputs, inputs, clobbers}}
  %0 = tile.inline_asm pure "x" constraints "f,=f" as "asm" %x : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{has constraints that cannot be read: '='}}
  %0 = tile.inline_asm pure "x" constraints "=" as "asm" %x : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{pack must be 1 to 64, but is 0}}
  %0 = tile.inline_asm pure "x" constraints "=f,f" as "asm" pack 0 %x : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f() {
  // expected-error @below {{without results does nothing if it is pure}}
  tile.inline_asm pure "x" constraints "" as "asm" : () -> ()
  return
}

// -----

func.func @f(%x: tensor<8xf32>, %y: tensor<4xf32>) {
  // expected-error @below {{operands and results must have one shape}}
  tile.inline_asm "x" constraints "f,f" as "asm" %x, %y : (tensor<8xf32>, tensor<4xf32>) -> ()
  return
}
