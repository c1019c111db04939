# Tests of devices: a loader that fails where it is asked to, and the plugin over it on lavapipe.
add_library(tilerun_fake_vulkan MODULE FakeLoader.cpp)
target_link_libraries(tilerun_fake_vulkan PRIVATE tilerun_vulkan_headers ${CMAKE_DL_LIBS})
set_target_properties(tilerun_fake_vulkan PROPERTIES OUTPUT_NAME fakevulkan)

tilerun_plain_test(vulkan_device_tests THREADS
  SOURCES FailureTest.cpp MemoryTest.cpp OrderTest.cpp
  LINK tilerun_plugin_host tilerun_vulkan_headers)
target_include_directories(vulkan_device_tests PRIVATE ${PROJECT_SOURCE_DIR}/runtime/include)
target_compile_definitions(vulkan_device_tests PRIVATE
  DRIVER_PLUGIN="$<TARGET_FILE:tilerun_plugin_vulkan-driver>"
  VULKAN_DRIVER="${TILERUN_TEST_VULKAN_DRIVER}"
  FAKE_LOADER="$<TARGET_FILE:tilerun_fake_vulkan>"
  NULL_PLUGIN="$<TARGET_FILE:tilerun_plugin_null>"
  PROBE_HELPER="$<TARGET_FILE:tilerun-plugin-probe>")
add_dependencies(vulkan_device_tests tilerun_fake_vulkan tilerun_plugin_vulkan-driver
  tilerun_plugin_null tilerun-plugin-probe)

# The order and bytes of a device whose memory the host does not see.
add_test(NAME vulkan_device_tests.discrete
         COMMAND vulkan_device_tests --gtest_filter=Order.*:FullDevice.*)
set_tests_properties(vulkan_device_tests.discrete PROPERTIES TIMEOUT 600)

# The conformance suite over such a device, and over the plugin without its compiler.
add_test(NAME conformance.vulkan-driver
         COMMAND tilerun-conformance --require-device $<TARGET_FILE:tilerun_plugin_vulkan-driver>)
add_test(NAME conformance.vulkan-discrete
         COMMAND tilerun-conformance --require-device $<TARGET_FILE:tilerun_plugin_vulkan-driver>)
set_tests_properties(conformance.vulkan-driver conformance.vulkan-discrete PROPERTIES TIMEOUT 120)
tilerun_on_lavapipe(conformance.vulkan-driver conformance.vulkan-discrete
  vulkan_device_tests.discrete)
# The validation layer would be right to complain about what the fake loader shows.
foreach(test conformance.vulkan-discrete vulkan_device_tests.discrete)
  set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT
    TILERUN_VULKAN_LOADER=$<TARGET_FILE:tilerun_fake_vulkan> FAKE_VULKAN_DISCRETE=1
    TILERUN_VULKAN_VALIDATION=0)
endforeach()
tilerun_thread_test(conformance.vulkan-driver tilerun-conformance tilerun_plugin_vulkan-driver)
tilerun_thread_test(conformance.vulkan-discrete tilerun_fake_vulkan)
tilerun_thread_test(vulkan_device_tests.discrete vulkan_device_tests)
