#include "ui/views/candidate/drafts.h"

#include <QCryptographicHash>
#include <QDir>
#include <QSaveFile>
#include <QStandardPaths>

namespace kw::ui {

namespace {

QString file_of(const QString& session, const QString& candidate) {
  const QByteArray name = QCryptographicHash::hash((session + u'\n' + candidate).toUtf8(), QCryptographicHash::Sha256).toHex();
  return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + QStringLiteral("/drafts/") + QString::fromLatin1(name.left(32));
}

}  // namespace

std::optional<QString> draft(const QString& session, const QString& candidate) {
  QFile file(file_of(session, candidate));
  if (!file.open(QIODevice::ReadOnly)) return {};
  return QString::fromUtf8(file.readAll());
}

bool keep_draft(const QString& session, const QString& candidate, const QString& text) {
  const QString path = file_of(session, candidate);
  QDir().mkpath(QFileInfo(path).path());
  QSaveFile file(path);
  return file.open(QIODevice::WriteOnly) && file.write(text.toUtf8()) >= 0 && file.commit();
}

void discard_draft(const QString& session, const QString& candidate) { QFile::remove(file_of(session, candidate)); }

}  // namespace kw::ui
