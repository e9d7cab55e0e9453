#pragma once
// Sends a local file to the engine's upload folder, in pieces, with a row among the jobs.

#include <functional>

#include <QString>

class QObject;

namespace kw::ui {

class Session;

// `done` gets the engine's path of the file; `failed` a sentence.
void upload(Session* session, const QString& file, QObject* owner, std::function<void(const QString& path)> done,
            std::function<void(const QString& why)> failed);

}  // namespace kw::ui
