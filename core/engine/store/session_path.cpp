#include "core/engine/store/session_path.h"

#include <filesystem>

namespace kw::store {
namespace {

namespace fs = std::filesystem;

base::Result<ChosenSession> made(const std::string& path, const ModelInfo& model, const std::string& why) {
  auto session = Session::create(path, model);
  if (!session) return session.error();
  return ChosenSession{std::move(*session), false, "Session: " + path + " (new" + why + ")"};
}

struct Existing {
  std::optional<Session> session;
  std::string reason;            // why it cannot be continued
};

base::Result<Existing> look_at(const std::string& path, const ModelInfo& model) {
  auto reading = Session::open(path, Session::Access::read);
  if (!reading) {
    if (reading.error().code == base::ErrorCode::bad_input) return Existing{std::nullopt, reading.error().message};
    return reading.error();
  }
  auto stored = reading->model();
  if (!stored) return Existing{std::nullopt, stored.error().message};
  if (const std::string what = difference(*stored, model); !what.empty()) return Existing{std::nullopt, what};
  if (auto status = reading->close(); !status) return status.error();
  auto writing = Session::open(path, Session::Access::write);
  if (!writing) return writing.error();
  return Existing{std::move(*writing), ""};
}

std::string numbered(const fs::path& model, int n) {
  fs::path path = model;
  path.replace_extension();
  path += n == 1 ? ".kwr" : "-" + std::to_string(n) + ".kwr";
  return path.string();
}

}  // namespace

std::string difference(const ModelInfo& stored, const ModelInfo& wanted) {
  if (stored.sha256 != wanted.sha256) return "it was made for another version of the model file";
  if (stored.target != wanted.target) return "it was made for target " + stored.target + ", not " + wanted.target;
  if (stored.threads != wanted.threads)
    return "it was made with " + std::to_string(stored.threads) + " threads, not " + std::to_string(wanted.threads);
  if (stored.inputs != wanted.inputs || stored.input_set != wanted.input_set) return "it was made with other inputs";
  if (stored.generator != wanted.generator) return "it was made by another version of the generator (" + stored.generator + ")";
  if (stored.graph_hash != wanted.graph_hash) return "the model's graph has changed (something that the model file imports?)";
  return "";
}

base::Result<ChosenSession> choose_session(const ModelInfo& model, const std::string& explicit_path) {
  if (!explicit_path.empty() && !fs::exists(explicit_path)) return made(explicit_path, model, "");
  if (!explicit_path.empty()) {
    auto existing = look_at(explicit_path, model);
    if (!existing) return existing.error();
    if (!existing->session) return base::bad_input("cannot go on with this session: " + existing->reason + ". Name another with --session.", explicit_path);
    return ChosenSession{std::move(*existing->session), true, "Session: " + explicit_path + " (continued)"};
  }
  std::string why;
  for (int n = 1; n < 1000; ++n) {
    const std::string path = numbered(model.path, n);
    std::error_code ignored;
    if (!fs::exists(path, ignored)) return made(path, model, why);
    auto existing = look_at(path, model);
    if (!existing) return existing.error();
    if (existing->session) return ChosenSession{std::move(*existing->session), true, "Session: " + path + " (continued)"};
    why = "; " + path + " is left alone: " + existing->reason;
  }
  return base::bad_input("there are a thousand sessions beside this model. Name one with --session.", model.path);
}

}  // namespace kw::store
