#pragma once
// Calls that run somebody's code: where the engine answers that nobody agreed to it yet, the user is asked, the answer is remembered by the
// content's hash, and the call is made again.

#include "ui/bridge/engine.h"

class QWidget;

namespace kw::ui {

// What may have to be agreed to: the model's file, as the engine knows it, and the candidate, by its hash ("": none is run).
struct Foreign { QString model_path, candidate_hash; };

void trusted_call(Engine* engine, const QString& method, const json& params, const Foreign& code, QWidget* owner, Engine::Done done,
                  Engine::Failed failed);

}  // namespace kw::ui
