# Tests of those parts of the plugin that need no device: they are compiled once more, into the test.
set(plugin ${PROJECT_SOURCE_DIR}/plugins/vulkan)
tilerun_unit_test(vulkan_unit_tests
  SOURCES ArtifactTest.cpp CompatibilityTest.cpp DebugBufferTest.cpp SplittingTest.cpp
          ${plugin}/Artifact.cpp ${plugin}/Compatibility.cpp
          ${plugin}/Splitting.cpp
  LINK tilerun_spirv tilerun_debug_reader tilerun_vulkan_headers MLIR LLVM)
target_include_directories(vulkan_unit_tests PRIVATE ${PROJECT_SOURCE_DIR}/runtime/include)

# The compile entry, through the ABI; no driver is opened.
tilerun_plain_test(vulkan_compile_tests THREADS
  SOURCES CompileTest.cpp
  LINK tilerun_plugin_host)
target_compile_definitions(vulkan_compile_tests PRIVATE
  VULKAN_PLUGIN="$<TARGET_FILE:tilerun_plugin_vulkan>")
add_dependencies(vulkan_compile_tests tilerun_plugin_vulkan)

# Kernels on a device: lavapipe, unless the environment names another driver.
tilerun_plain_test(vulkan_launch_tests THREADS
  SOURCES KernelTest.cpp ReportTest.cpp
  LINK tilerun_plugin_host)
target_compile_definitions(vulkan_launch_tests PRIVATE
  VULKAN_PLUGIN="$<TARGET_FILE:tilerun_plugin_vulkan>"
  VULKAN_TEST_DRIVER="${TILERUN_TEST_VULKAN_DRIVER}")
add_dependencies(vulkan_launch_tests tilerun_plugin_vulkan)

# The same over a loader that fails on request.
tilerun_plain_test(vulkan_pipeline_tests THREADS
  SOURCES PipelineTest.cpp
  LINK tilerun_plugin_host tilerun_vulkan_headers)
target_compile_definitions(vulkan_pipeline_tests PRIVATE
  VULKAN_PLUGIN="$<TARGET_FILE:tilerun_plugin_vulkan>"
  VULKAN_TEST_DRIVER="${TILERUN_TEST_VULKAN_DRIVER}"
  FAKE_VULKAN="$<TARGET_FILE:tilerun_fake_vulkan>")
add_dependencies(vulkan_pipeline_tests tilerun_plugin_vulkan tilerun_fake_vulkan)
