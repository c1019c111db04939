// The turns of warp groups alternate, and are closed before their role ends.
// RUN: tile-opt %s --target=generic:shared=160k,async=on,roles=on --num-warps=8 --schedule-expand --split-input-file --verify-diagnostics -o /dev/null

func.func @right(%n: i32) attributes {tile.kernel, sched.expanded} {
  sched.role consumer 0 to 8 {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    sched.turn open of 2
    scf.for %i = %zero to %n step %one : i32 {
      sched.turn begin of 2
      sched.turn end of 2
    }
    sched.turn close of 2
  }
  return
}

// -----

func.func @k() attributes {tile.kernel, sched.expanded} {
  sched.role consumer 0 to 8 {
    // expected-error @+1 {{begins a turn before turns are open}}
    sched.turn begin of 2
  }
  return
}

// -----

func.func @k() attributes {tile.kernel, sched.expanded} {
  sched.role consumer 0 to 8 {
    sched.turn open of 2
    // expected-error @+1 {{ends a turn that has not begun}}
    sched.turn end of 2
  }
  return
}

// -----

func.func @k() attributes {tile.kernel, sched.expanded} {
  sched.role consumer 0 to 8 {
    sched.turn open of 2
    sched.turn begin of 2
    // expected-error @+1 {{begins a turn in a turn}}
    sched.turn begin of 2
  }
  return
}

// -----

func.func @k() attributes {tile.kernel, sched.expanded} {
  sched.role consumer 0 to 8 {
    sched.turn open of 2
    // expected-error @+1 {{opens turns that are open}}
    sched.turn open of 2
  }
  return
}

// -----

func.func @k() attributes {tile.kernel, sched.expanded} {
  sched.role consumer 0 to 8 {
    sched.turn open of 2
    sched.turn begin of 2
    // expected-error @+1 {{closes turns in a turn}}
    sched.turn close of 2
  }
  return
}

// -----

func.func @k() attributes {tile.kernel, sched.expanded} {
  sched.role consumer 0 to 8 {
    // expected-error @+1 {{closes turns that are not open}}
    sched.turn close of 2
  }
  return
}

// -----

func.func @k() attributes {tile.kernel, sched.expanded} {
  // expected-error @+1 {{ends, and its turns are not closed}}
  sched.role consumer 0 to 8 {
    sched.turn open of 2
    sched.turn begin of 2
    sched.turn end of 2
  }
  return
}

// -----

func.func @k() attributes {tile.kernel, sched.expanded} {
  sched.role consumer 0 to 8 {
    // expected-error @+1 {{is of 1 warp groups, but two or more take turns}}
    sched.turn open of 1
  }
  return
}

// -----

func.func @k() attributes {tile.kernel, sched.expanded} {
  sched.role consumer 0 to 8 {
    // expected-error @+1 {{is of 3 warp groups in a role of 8 warps}}
    sched.turn open of 3
  }
  return
}

// -----

// expected-error @+1 {{has 'sched.persistent', a unit attribute that belongs on a kernel}}
func.func @k() attributes {tile.kernel, sched.persistent = 1 : i32} {
  return
}
