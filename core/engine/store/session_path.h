#pragma once
// Where a session lives when the user names none: MODEL.kwr beside the model. One that exists is continued if it was made
// for the same model, target and threads; otherwise the next free number is taken: MODEL-2.kwr, MODEL-3.kwr, …

#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/engine/store/session.h"

namespace kw::store {

struct ChosenSession {
  Session session;               // open for writing
  bool resumed = false;
  std::string message;           // one sentence for the user: which file, and why
};

// `explicit_path` "": the rule above. An explicit session made for something else is an error that says what differs.
base::Result<ChosenSession> choose_session(const ModelInfo& model, const std::string& explicit_path);

// What differs, "" when the session may be continued.
std::string difference(const ModelInfo& stored, const ModelInfo& wanted);

}  // namespace kw::store
