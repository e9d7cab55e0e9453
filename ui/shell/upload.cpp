#include "ui/shell/upload.h"

#include <memory>

#include <QFile>
#include <QFileInfo>

#include "ui/models/jobs_model.h"
#include "ui/models/session.h"

namespace kw::ui {

namespace {

constexpr qint64 piece_bytes = 1 << 20;

struct Upload : std::enable_shared_from_this<Upload> {
  Session* session;
  QPointer<QObject> owner;
  QFile file;
  QString target, job;
  std::function<void(const QString&)> done, failed;

  void send_next() {
    const bool first = file.pos() == 0;
    const QByteArray piece = file.read(piece_bytes);
    const json params{{"path", target.toStdString()}, {"base64", piece.toBase64().toStdString()}, {"append", !first}};
    session->engine()->call(
        QStringLiteral("files/write"), params, owner,
        [self = shared_from_this()](const json&) {
          self->session->jobs()->set_progress(self->job, static_cast<double>(self->file.pos()) / static_cast<double>(std::max<qint64>(1, self->file.size())));
          if (!self->file.atEnd()) return self->send_next();
          self->session->jobs()->end(self->job, {});
          self->done(self->target);
        },
        [self = shared_from_this()](const EngineError& error) {
          self->session->jobs()->end(self->job, error.message);
          self->failed(error.message);
        });
  }
};

}  // namespace

void upload(Session* session, const QString& path, QObject* owner, std::function<void(const QString& path)> done,
            std::function<void(const QString& why)> failed) {
  const QString folder = text(session->engine()->hello(), "uploads");
  auto one = std::make_shared<Upload>();
  one->session = session;
  one->owner = owner;
  one->file.setFileName(path);
  one->target = folder + u'/' + QFileInfo(path).fileName();
  one->job = QStringLiteral("upload ") + path;
  one->done = std::move(done);
  one->failed = failed;
  if (folder.isEmpty()) return failed(QStringLiteral("This engine takes no files. Copy %1 there and open it there.").arg(path));
  if (!one->file.open(QIODevice::ReadOnly)) return failed(QStringLiteral("%1 could not be read: %2.").arg(path, one->file.errorString()));
  session->jobs()->watch(one->job, {}, QStringLiteral("Send %1").arg(QFileInfo(path).fileName()));
  one->send_next();
}

}  // namespace kw::ui
