# Compiler settings and two helpers: kw_part(NAME sources… DEPS targets…) makes one static library of a folder,
# kw_test(NAME sources… DEPS targets…) one GoogleTest program registered with CTest.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")   # at -O3 g++ 12 warns of errors in std::string that are not there
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

add_library(kw_options INTERFACE)
target_include_directories(kw_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(kw_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Werror)
if(KW_SANITIZE)
  target_compile_options(kw_options INTERFACE -fsanitize=${KW_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(kw_options INTERFACE -fsanitize=${KW_SANITIZE})
endif()

function(kw_part name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEPS")
  add_library(${name} STATIC ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC kw_options ${arg_DEPS})
endfunction()

function(kw_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEPS")
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE kw_options ${arg_DEPS} GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "KW_SOURCE_DIR=${CMAKE_SOURCE_DIR};KW_BIN_DIR=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
endfunction()
