# Imported targets torch_cpu and c10 from the torch wheel. find_package(Torch) wants a CUDA compiler and fails to
# configure where there is no GPU, so the libraries are named here directly.

set(KW_TORCH_VERSION 2.11.0)
set(KW_PYTHON "" CACHE FILEPATH "Python whose torch is used")
if(NOT KW_PYTHON)
  if(EXISTS ${CMAKE_SOURCE_DIR}/.venv/bin/python3)
    set(KW_PYTHON ${CMAKE_SOURCE_DIR}/.venv/bin/python3)
  else()
    find_program(KW_PYTHON python3 REQUIRED)
  endif()
endif()
execute_process(
  COMMAND ${KW_PYTHON} -c "import importlib.util as u, importlib.metadata as m; print(m.version('torch')); print(u.find_spec('torch').submodule_search_locations[0])"
  OUTPUT_VARIABLE kw_torch_facts OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE kw_torch_rc ERROR_QUIET)
if(NOT kw_torch_rc EQUAL 0)
  message(FATAL_ERROR "${KW_PYTHON} has no torch. Run packaging/setup.sh, or set KW_PYTHON.")
endif()
string(REPLACE "\n" ";" kw_torch_facts "${kw_torch_facts}")
list(GET kw_torch_facts 0 kw_torch_version)
list(GET kw_torch_facts 1 KW_TORCH_DIR)
if(NOT kw_torch_version MATCHES "^2\\.11\\.0(\\+.*)?$")
  message(FATAL_ERROR "torch ${kw_torch_version} found, ${KW_TORCH_VERSION} needed. Run packaging/setup.sh.")
endif()

foreach(lib c10 torch_cpu)
  add_library(${lib} SHARED IMPORTED)
  set_target_properties(${lib} PROPERTIES IMPORTED_LOCATION ${KW_TORCH_DIR}/lib/lib${lib}.so
    INTERFACE_INCLUDE_DIRECTORIES "${KW_TORCH_DIR}/include;${KW_TORCH_DIR}/include/torch/csrc/api/include")
endforeach()
set_property(TARGET torch_cpu PROPERTY INTERFACE_LINK_LIBRARIES c10)

# One precompiled header for everything that includes torch.
add_library(kw_torch STATIC ${CMAKE_SOURCE_DIR}/packaging/cmake/torch_pch.cpp)
target_link_libraries(kw_torch PUBLIC kw_options torch_cpu c10)
target_precompile_headers(kw_torch PRIVATE ${CMAKE_SOURCE_DIR}/packaging/cmake/torch_pch.h)

# A part whose .cpp files include torch: kw_torch_part(NAME sources… DEPS targets…). Torch stays out of its headers.
function(kw_torch_part name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEPS")
  add_library(${name} STATIC ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC kw_options kw_torch ${arg_DEPS})
  target_precompile_headers(${name} REUSE_FROM kw_torch)
endfunction()
