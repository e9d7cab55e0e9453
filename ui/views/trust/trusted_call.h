#pragma once
// Calls that run somebody's code: where the engine answers "trust", the user is asked, the answer is remembered by the content's hash, and
// the call is made again.

#include "ui/bridge/engine.h"

class QWidget;

namespace kw::ui {

// `path`: the file whose content is asked about, as the engine knows it.
void trusted_call(Engine* engine, const QString& method, const json& params, const QString& path, QWidget* owner, Engine::Done done,
                  Engine::Failed failed);

}  // namespace kw::ui
