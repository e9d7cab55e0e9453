// kernelwright-gui [FILE]: the desktop application. FILE is a path on the engine's machine.

#include <QApplication>
#include <QCommandLineParser>
#include <QFileInfo>
#include <QTimer>

#include "ui/bridge/engine.h"
#include "ui/shell/main_window.h"

int main(int argc, char** argv) {
  QApplication app(argc, argv);
  QApplication::setOrganizationName(QStringLiteral("kernelwright"));
  QApplication::setApplicationName(QStringLiteral("kernelwright-gui"));
  QApplication::setApplicationVersion(QStringLiteral(KW_VERSION));
  QCommandLineParser parser;
  parser.setApplicationDescription(QStringLiteral("Watch, question and steer a search for faster kernels."));
  parser.addHelpOption();
  parser.addVersionOption();
  parser.addPositionalArgument(QStringLiteral("FILE"), QStringLiteral("A session (.kwr) or a model (.py, .pt2, .pt) on the engine's machine."), QStringLiteral("[FILE]"));
  parser.process(app);

  const kw::ui::Settings settings = kw::ui::load_settings();
  kw::ui::MainWindow window(settings);
  window.show();
  if (const QString file = parser.positionalArguments().value(0); !file.isEmpty()) {
    const QString path = settings.is_local() ? QFileInfo(file).absoluteFilePath() : file;
    QObject::connect(window.engine(), &kw::ui::Engine::state_changed, &window, [&window, path, opened = false](kw::ui::Engine::State state) mutable {
      if (state == kw::ui::Engine::State::ready && !std::exchange(opened, true)) QTimer::singleShot(0, &window, [&window, path] { window.open_path(path); });
    });
  }
  window.start_engine();
  return QApplication::exec();
}
