#pragma once
// What the window's tests share: a settings folder of their own, the fake engine's command, and waiting for the event loop.

#include <QApplication>
#include <QStandardPaths>
#include <QTest>

namespace kw::ui {

inline QStringList fake_engine(const char* mode) {
  return {qEnvironmentVariable("KW_BIN_DIR") + QStringLiteral("/kw_fake_engine"), QString::fromLatin1(mode)};
}

// Before any settings are read: the user's own are neither read nor written.
inline void use_test_settings(const char* name) {
  QStandardPaths::setTestModeEnabled(true);
  QApplication::setOrganizationName(QStringLiteral("kernelwright-tests"));
  QApplication::setApplicationName(QLatin1String(name));
}

}  // namespace kw::ui
