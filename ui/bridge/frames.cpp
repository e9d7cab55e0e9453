#include "ui/bridge/frames.h"

#include "core/protocol/framing.h"

namespace kw::ui {

namespace {

constexpr qsizetype largest_header = 4096;

}  // namespace

void Frames::feed(const QByteArray& bytes) {
  if (broken_.isEmpty()) buffer_ += bytes;
}

bool Frames::read_header() {
  const qsizetype end = buffer_.indexOf("\r\n\r\n");
  const QByteArray header = buffer_.left(end < 0 ? buffer_.lastIndexOf('\n') + 1 : end);
  qsizetype length = -1;
  for (const QByteArray& line : header.trimmed().split('\n')) {
    const qsizetype colon = line.indexOf(':');
    if (colon < 0 && !header.isEmpty()) {
      broken_ = QStringLiteral("a header line without a colon: %1").arg(QString::fromUtf8(line.left(80)).trimmed());
      return false;
    }
    bool is_number = false;
    const qsizetype value = line.mid(colon + 1).trimmed().toLongLong(&is_number);
    if (is_number && line.left(colon).trimmed().toLower() == "content-length") length = value;
  }
  if (end < 0 && buffer_.size() > largest_header) broken_ = QStringLiteral("no header within %1 bytes").arg(largest_header);
  if (end < 0) return false;
  if (length < 0 || length > static_cast<qsizetype>(protocol::largest_frame)) broken_ = QStringLiteral("Content-Length is missing, not a number or too large");
  length_ = length;
  buffer_.remove(0, end + 4);
  return broken_.isEmpty();
}

std::optional<QByteArray> Frames::next() {
  if (!broken_.isEmpty() || (length_ < 0 && !read_header()) || buffer_.size() < length_) return {};
  QByteArray body = buffer_.left(length_);
  buffer_.remove(0, length_);
  length_ = -1;
  return body;
}

QByteArray framed(const std::string& body) {
  return "Content-Length: " + QByteArray::number(static_cast<qulonglong>(body.size())) + "\r\n\r\n" + QByteArray::fromStdString(body);
}

}  // namespace kw::ui
