#include "ui/shell/settings.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QProcess>
#include <QSettings>

namespace kw::ui {

namespace {

constexpr int most_recent = 12;
const QStringList theme_names{QStringLiteral("system"), QStringLiteral("light"), QStringLiteral("dark")};

QString recent_key(const Settings& settings) {
  return QStringLiteral("recent/") + QString::fromLatin1(settings.engine_name().toUtf8().toHex());
}

}  // namespace

QStringList Settings::command() const {
  QStringList command = QProcess::splitCommand(launch_prefix);
  if (!engine_program.isEmpty()) return command << engine_program;
  const QString beside = QCoreApplication::applicationDirPath() + QStringLiteral("/kernelwright");
  return command << (is_local() && QFileInfo(beside).isExecutable() ? beside : QStringLiteral("kernelwright"));
}

QString Settings::engine_name() const { return is_local() ? QStringLiteral("this machine") : launch_prefix.trimmed(); }

Settings load_settings() {
  const QSettings stored;
  Settings settings;
  settings.launch_prefix = stored.value(QStringLiteral("engine/prefix")).toString();
  settings.engine_program = stored.value(QStringLiteral("engine/program")).toString();
  settings.theme = static_cast<ThemeChoice>(std::max<qsizetype>(0, theme_names.indexOf(stored.value(QStringLiteral("look/theme")).toString())));
  settings.text_percent = std::clamp(stored.value(QStringLiteral("look/text_percent"), 100).toInt(), 70, 250);
  settings.reviewer = stored.value(QStringLiteral("review/reviewer"), qEnvironmentVariable("USER")).toString();
  return settings;
}

void save_settings(const Settings& settings) {
  QSettings stored;
  stored.setValue(QStringLiteral("engine/prefix"), settings.launch_prefix);
  stored.setValue(QStringLiteral("engine/program"), settings.engine_program);
  stored.setValue(QStringLiteral("look/theme"), theme_names[static_cast<int>(settings.theme)]);
  stored.setValue(QStringLiteral("look/text_percent"), settings.text_percent);
  stored.setValue(QStringLiteral("review/reviewer"), settings.reviewer);
}

QStringList recent_files(const Settings& settings) { return QSettings().value(recent_key(settings)).toStringList(); }

void add_recent_file(const Settings& settings, const QString& path) {
  QStringList files = recent_files(settings);
  files.removeAll(path);
  files.prepend(path);
  QSettings().setValue(recent_key(settings), QStringList(files.mid(0, most_recent)));
}

}  // namespace kw::ui
