# pawl_add_test(<name> SOURCES <files> [LIBS <targets>]): a GoogleTest executable whose cases ctest knows one by one.
if(PAWL_TESTS)
  enable_testing()
  include(GoogleTest)
endif()

function(pawl_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBS")
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LIBS} GTest::gmock GTest::gtest GTest::gmock_main)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(${name} PRIVATE PAWL_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
  pawl_warnings(${name})
  # PRE_TEST: names are read when ctest starts, so that a cross build needs no emulator to build.
  gtest_discover_tests(${name} TEST_PREFIX ${name}. DISCOVERY_MODE PRE_TEST 
    PROPERTIES TIMEOUT 600 ENVIRONMENT "TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/tsan.supp")
endfunction()
