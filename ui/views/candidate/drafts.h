#pragma once
// Sources that the user has begun to edit, kept in files until they are evaluated or discarded. A draft belongs to a session's candidate.

#include <optional>

#include <QString>

namespace kw::ui {

std::optional<QString> draft(const QString& session, const QString& candidate);
bool keep_draft(const QString& session, const QString& candidate, const QString& text);   // false: could not be written
void discard_draft(const QString& session, const QString& candidate);

}  // namespace kw::ui
