#pragma once
// Cuts a stream of bytes into `Content-Length` frames. Pure; whoever feeds it reads the pipe.

#include <optional>

#include <QByteArray>
#include <QString>

namespace kw::ui {

class Frames {
 public:
  void feed(const QByteArray& bytes);
  std::optional<QByteArray> next();            // a whole body; none: not there yet, or broken
  const QString& broken() const { return broken_; }   // what is wrong with the stream; "" while nothing is

 private:
  bool read_header();
  QByteArray buffer_;
  qsizetype length_ = -1;                      // of the body under way; -1: a header comes next
  QString broken_;
};

QByteArray framed(const std::string& body);

}  // namespace kw::ui
