#include "ui/views/operators/python_source.h"

#include <QDialog>
#include <QVBoxLayout>

#include "ui/bridge/engine.h"
#include "ui/models/records.h"
#include "ui/widgets/source_view.h"

namespace kw::ui {

namespace {

constexpr int most_bytes = 1 << 20;

}  // namespace

void show_python_source(Engine* engine, const QString& source, QWidget* parent) {
  const QString file = source.section(u':', 0, -2);
  const int line = source.section(u':', -1).toInt();
  if (file.isEmpty()) return;
  auto* window = new QDialog(parent);
  window->setAttribute(Qt::WA_DeleteOnClose);
  window->setWindowTitle(source);
  auto* view = new SourceView(QStringLiteral("Python source"), window);
  auto* column = new QVBoxLayout(window);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(view);
  const QFontMetrics metrics(window->font());
  window->resize(metrics.averageCharWidth() * 110, metrics.height() * 40);
  engine->call(
      QStringLiteral("files/read"), {{"path", file.toStdString()}, {"offset", 0}, {"bytes", most_bytes}}, window,
      [view, line](const json& result) {
        view->show_text(text(result, "text"), SourceView::Language::python);
        view->mark_lines({line});
      },
      [view](const EngineError& error) {
        view->show_text(QStringLiteral("%1\n\nThe session remembers the line, not the file.").arg(error.message), SourceView::Language::plain);
      });
  window->show();
}

}  // namespace kw::ui
