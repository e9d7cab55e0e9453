#pragma once
// What the user set, kept by QSettings. Recent files are kept per engine, for a path means nothing on another machine.

#include <QString>
#include <QStringList>

namespace kw::ui {

enum class ThemeChoice { system, light, dark };

struct Settings {
  QString launch_prefix;                        // "ssh gpu-box", "docker exec -i box", …; "": this machine
  QString engine_program;                       // "": beside this program here, `kernelwright` behind a prefix
  ThemeChoice theme = ThemeChoice::system;
  int text_percent = 100;
  QString reviewer;

  QStringList command() const;                  // prefix and program, without "serve"
  QString engine_name() const;                  // the prefix, or "this machine"
  bool is_local() const { return launch_prefix.trimmed().isEmpty(); }
};

Settings load_settings();
void save_settings(const Settings& settings);

QStringList recent_files(const Settings& settings);
void add_recent_file(const Settings& settings, const QString& path);

}  // namespace kw::ui
