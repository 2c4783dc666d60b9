# find_package(ompchunk) - instruments the static OpenMP loops of what is compiled with clang or flang.
#
#   ompchunk::ompchunk   compile with the plugin: adds -fpass-plugin=... for C, C++ and Fortran, nothing else.
#                        Attach the shim and a tool when the program runs.
#   ompchunk::rt         link the shim too, so that OMP_TOOL_LIBRARIES names only the tool
#   ompchunk::rt_static  the same from the static library
#   ompchunk::headers    for tools: where ompt-chunk.h is
#
# Found only if the compiler of each enabled language, C, C++ or Fortran, is a clang or flang of an LLVM major
# that a plugin was installed for; beside such a clang another Fortran compiler gives a warning. Where this file is tells where everything is: the tree can be moved.

get_filename_component(_ompchunk_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
file(GLOB _ompchunk_plugins RELATIVE "${_ompchunk_prefix}/lib/ompchunk"
  "${_ompchunk_prefix}/lib/ompchunk/llvm-*/libompchunk.so")
string(REGEX MATCHALL "[0-9]+" _ompchunk_majors "${_ompchunk_plugins}")
list(SORT _ompchunk_majors COMPARE NATURAL)
string(REPLACE ";" " and " _ompchunk_majors_text "${_ompchunk_majors}")

set(_ompchunk_options "")
set(_ompchunk_problems "")
foreach(_ompchunk_language IN ITEMS C CXX Fortran)
  if(NOT CMAKE_${_ompchunk_language}_COMPILER_LOADED)
    continue()
  endif()
  set(_ompchunk_compiler "${CMAKE_${_ompchunk_language}_COMPILER}")
  string(REGEX MATCH "^[0-9]+" _ompchunk_major "${CMAKE_${_ompchunk_language}_COMPILER_VERSION}")
  set(_ompchunk_wanted clang)
  set(_ompchunk_id Clang)
  if(_ompchunk_language STREQUAL "Fortran")
    set(_ompchunk_wanted flang)
    set(_ompchunk_id LLVMFlang)
  endif()
  set(_ompchunk_problem "")
  if(NOT CMAKE_${_ompchunk_language}_COMPILER_ID STREQUAL "${_ompchunk_id}")
    set(_ompchunk_problem
      "The ${_ompchunk_language} compiler ${_ompchunk_compiler} is ${CMAKE_${_ompchunk_language}_COMPILER_ID}, but ompchunk is a plugin for ${_ompchunk_wanted}. Configure with a ${_ompchunk_wanted} of LLVM ${_ompchunk_majors_text} as CMAKE_${_ompchunk_language}_COMPILER.")
  elseif(NOT _ompchunk_major IN_LIST _ompchunk_majors)
    set(_ompchunk_problem
      "The ${_ompchunk_language} compiler ${_ompchunk_compiler} is ${_ompchunk_wanted} ${_ompchunk_major}, but ompchunk was installed for LLVM ${_ompchunk_majors_text} only. Use such a ${_ompchunk_wanted}, or build ompchunk for LLVM ${_ompchunk_major} (make LLVM_CONFIG=llvm-config-${_ompchunk_major}) and install it again.")
  else()
    list(APPEND _ompchunk_options
      "$<$<COMPILE_LANGUAGE:${_ompchunk_language}>:-fpass-plugin=${_ompchunk_prefix}/lib/ompchunk/llvm-${_ompchunk_major}/libompchunk.so>")
  endif()
  if(_ompchunk_problem AND _ompchunk_language STREQUAL "Fortran" AND _ompchunk_options)
    # Few programs should stop for the little Fortran that they have beside C; but it is said.
    message(WARNING "${_ompchunk_problem} Until then no loop in Fortran is instrumented.")
  elseif(_ompchunk_problem)
    list(APPEND _ompchunk_problems "${_ompchunk_problem}")
  endif()
endforeach()
if(_ompchunk_problems)
  string(REPLACE ";" " " ompchunk_NOT_FOUND_MESSAGE "${_ompchunk_problems}")
elseif(NOT _ompchunk_options)
  set(ompchunk_NOT_FOUND_MESSAGE "Enable C, C++ or Fortran before find_package(ompchunk).")
endif()

if(ompchunk_NOT_FOUND_MESSAGE)
  set(ompchunk_FOUND FALSE)
else()
  set(ompchunk_INCLUDE_DIR "${_ompchunk_prefix}/include")
  set(ompchunk_TOOLS_DIR "${_ompchunk_prefix}/lib/ompchunk/tools")
  if(NOT TARGET ompchunk::ompchunk)
    add_library(ompchunk::ompchunk INTERFACE IMPORTED)
    set_target_properties(ompchunk::ompchunk PROPERTIES
      INTERFACE_COMPILE_OPTIONS "${_ompchunk_options}")

    add_library(ompchunk::headers INTERFACE IMPORTED)
    set_target_properties(ompchunk::headers PROPERTIES
      INTERFACE_INCLUDE_DIRECTORIES "${ompchunk_INCLUDE_DIR}")

    # The program refers to nothing in the shim, so the linker would drop it as not needed.
    add_library(ompchunk::rt_shared SHARED IMPORTED)
    set_target_properties(ompchunk::rt_shared PROPERTIES
      IMPORTED_LOCATION "${_ompchunk_prefix}/lib/libompchunk_rt.so"
      IMPORTED_SONAME "libompchunk_rt.so")
    add_library(ompchunk::rt INTERFACE IMPORTED)
    set_target_properties(ompchunk::rt PROPERTIES INTERFACE_LINK_LIBRARIES
      "-Wl,--push-state,--no-as-needed;ompchunk::rt_shared;-Wl,--pop-state")

    add_library(ompchunk::rt_archive STATIC IMPORTED)
    set_target_properties(ompchunk::rt_archive PROPERTIES
      IMPORTED_LOCATION "${_ompchunk_prefix}/lib/libompchunk_rt.a")
    add_library(ompchunk::rt_static INTERFACE IMPORTED)
    # Not -u ompt_start_tool: the runtime's own, weak one would satisfy it if it comes first.
    set_target_properties(ompchunk::rt_static PROPERTIES INTERFACE_LINK_LIBRARIES
      "-Wl,-u,__ompchunk_connect;-Wl,--export-dynamic-symbol=__ompchunk_connect;-Wl,--export-dynamic-symbol=ompt_start_tool;ompchunk::rt_archive;-lpthread;-ldl;-lm")
  endif()
endif()

unset(_ompchunk_prefix)
unset(_ompchunk_plugins)
unset(_ompchunk_majors)
unset(_ompchunk_majors_text)
unset(_ompchunk_options)
unset(_ompchunk_language)
unset(_ompchunk_compiler)
unset(_ompchunk_major)
unset(_ompchunk_wanted)
unset(_ompchunk_id)
unset(_ompchunk_problem)
unset(_ompchunk_problems)
