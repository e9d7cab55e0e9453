#pragma once
// Why a candidate was not accepted. Plain data.

#include <string>

#include "core/protocol/records.h"

namespace kw::oracle {

struct Rejection {
  protocol::Verdict verdict = protocol::Verdict::crash;
  std::string kind;
  protocol::Evidence evidence;
};

Rejection rejection(protocol::Verdict verdict, std::string summary, std::string kind = {});

}  // namespace kw::oracle
