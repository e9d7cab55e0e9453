# Qt 6, QScintilla and QCustomPlot, with three helpers like those of KwTargets: kw_ui_part, kw_ui_test, and one precompiled header of
# Qt's for all of them.

find_package(Qt6 6.4 REQUIRED COMPONENTS Widgets Svg DBus PrintSupport Test)
find_package(QCustomPlotQt6 REQUIRED)
find_library(KW_QSCINTILLA qscintilla2_qt6 REQUIRED)
add_library(kw_qscintilla INTERFACE)
target_link_libraries(kw_qscintilla INTERFACE ${KW_QSCINTILLA} Qt6::Widgets Qt6::PrintSupport)

add_library(kw_qt STATIC ${CMAKE_SOURCE_DIR}/packaging/cmake/qt_pch.cpp)
target_link_libraries(kw_qt PUBLIC kw_options Qt6::Widgets nlohmann_json::nlohmann_json)
target_precompile_headers(kw_qt PRIVATE ${CMAKE_SOURCE_DIR}/packaging/cmake/qt_pch.h)

function(kw_ui_part name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEPS")
  add_library(${name} STATIC ${arg_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES AUTOMOC ON)
  target_link_libraries(${name} PUBLIC kw_qt ${arg_DEPS})
  target_precompile_headers(${name} REUSE_FROM kw_qt)
endfunction()

# A Qt Test program, run without a display.
function(kw_ui_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEPS")
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES AUTOMOC ON)
  target_link_libraries(${name} PRIVATE kw_qt Qt6::Test ${arg_DEPS})
  target_precompile_headers(${name} REUSE_FROM kw_qt)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES ENVIRONMENT
    "QT_QPA_PLATFORM=offscreen;KW_SOURCE_DIR=${CMAKE_SOURCE_DIR};KW_BIN_DIR=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
endfunction()
