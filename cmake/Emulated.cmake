# tilerun_on_amdsim(ARCH TEST...): tests that run on an emulated AMD GPU in the place of hip:0. That it is missing fails
# them. Whatever the emulator finds in a kernel is an error of its launch.
function(tilerun_on_amdsim arch)
  foreach(test IN LISTS ARGN)
    set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT
      TILERUN_REQUIRE=hip TILERUN_HIP_DRIVER=$<TARGET_FILE:tilerun_amdsim_hip> TILERUN_AMDSIM=${arch}
      TILERUN_AMDSIM_FINDINGS=error)
  endforeach()
endfunction()
