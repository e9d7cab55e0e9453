#pragma once
// For programs that print a table: what cannot go on stops with the error's own words.

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "core/base/result.h"

namespace kw::bench {

[[noreturn]] inline void stop(const base::Error& error) {
  std::fprintf(stderr, "%s\n", error.text().c_str());
  std::exit(1);
}

template <typename T>
T need(base::Result<T> result) {
  if (!result) stop(result.error());
  return std::move(result).value();
}

inline void need(const base::Status& status) {
  if (!status) stop(status.error());
}

}  // namespace kw::bench
