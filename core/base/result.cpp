#include "core/base/result.h"

namespace kw::base {

const char* to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::bad_input: return "bad input";
    case ErrorCode::not_found: return "not found";
    case ErrorCode::unsupported: return "unsupported";
    case ErrorCode::busy: return "busy";
    case ErrorCode::cancelled: return "cancelled";
    case ErrorCode::lost: return "lost";
    case ErrorCode::io: return "input/output";
    case ErrorCode::internal: return "internal error";
  }
  return "unknown error";
}

}  // namespace kw::base
