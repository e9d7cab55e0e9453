#pragma once
// The desktop's preference for light or dark, asked from its portal over D-Bus and followed while it changes. GUI thread.

#include <QObject>

#include "ui/shell/theme.h"

class QDBusVariant;

namespace kw::ui {

class SystemTheme : public QObject {
  Q_OBJECT

 public:
  explicit SystemTheme(QObject* parent = nullptr);
  Scheme scheme() const { return scheme_; }     // light where no portal answers

 signals:
  void changed(kw::ui::Scheme scheme);

 private Q_SLOTS:
  void setting_changed(const QString& area, const QString& key, const QDBusVariant& value);

 private:
  void take(const QVariant& preference);
  Scheme scheme_ = Scheme::light;
};

}  // namespace kw::ui
