#include "ui/views/candidate/candidate_dock.h"

#include <QEvent>
#include <QLabel>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTextBrowser>

#include "ui/bridge/selection.h"
#include "ui/models/quantities.h"
#include "ui/models/session.h"
#include "ui/views/candidate/candidate_text.h"
#include "ui/views/candidate/measurements_tab.h"
#include "ui/views/candidate/source_tab.h"
#include "ui/widgets/bar.h"
#include "ui/widgets/palette.h"

namespace kw::ui {

namespace {

const QString nothing_chosen = QStringLiteral(
    "A candidate's source, machine code, plan, recipe, evidence and measurements will be shown here. Choose one in the search tree, the operators or the "
    "failures.");

QTextBrowser* page(const QString& title) {
  auto* browser = new QTextBrowser;
  browser->setAccessibleName(title);
  browser->setOpenLinks(false);
  browser->document()->setDocumentMargin(browser->fontMetrics().height() * 0.6);
  return browser;
}

class CandidateDock : public QWidget {
 public:
  CandidateDock(const DockContext& context, QWidget* parent)
      : QWidget(parent), context_(context), stack_(new QStackedWidget), nothing_(new QLabel(nothing_chosen)), title_(new QLabel), tabs_(new QTabWidget),
        source_(new SourceTab(context, this)), assembly_(new SourceView(QStringLiteral("Machine code"))), plan_(page(QStringLiteral("Plan"))),
        recipe_(page(QStringLiteral("Recipe"))), evidence_(page(QStringLiteral("Evidence"))), measurements_(new MeasurementsTab(this)) {
    nothing_->setAlignment(Qt::AlignCenter);
    nothing_->setWordWrap(true);
    nothing_->setForegroundRole(QPalette::PlaceholderText);
    nothing_->setMargin(fontMetrics().height());
    title_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    title_->setTextFormat(Qt::RichText);
    const std::pair<QWidget*, const char*> pages[] = {{source_, "Source"}, {assembly_, "Machine code"}, {plan_, "Plan"},
                                                      {recipe_, "Recipe"}, {evidence_, "Evidence"}, {measurements_, "Measurements"}};
    for (const auto& [widget, name] : pages) tabs_->addTab(widget, QLatin1String(name));
    tabs_->setDocumentMode(true);
    tabs_->setUsesScrollButtons(true);
    auto* shown = new QWidget;
    auto* inner = dock_column(shown);
    add_bar(inner)->addWidget(title_, 1);
    inner->addWidget(tabs_, 1);
    stack_->addWidget(nothing_);
    stack_->addWidget(shown);
    dock_column(this)->addWidget(stack_);

    connect(context.selection, &Selection::candidate_changed, this, [this] { load(); });
    connect(context.session, &Session::steps_changed, this, [this] { load_if_waiting(); });
    connect(context.session, &Session::opened, this, [this] { load(); });
    connect(tabs_, &QTabWidget::currentChanged, this, [this] { load_assembly(); });
    load();
  }

 protected:
  void changeEvent(QEvent* event) override {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) load();   // its HTML has the colours in it
  }

 private:
  void load() {
    const QString id = context_.selection->candidate();
    if (id.isEmpty()) {
      nothing_->setText(nothing_chosen);
      stack_->setCurrentIndex(0);
      return;
    }
    context_.engine->call(
        QStringLiteral("candidate/get"), {{"session", context_.selection->session().toStdString()}, {"id", id.toStdString()}}, this,
        [this, id](const json& candidate) {
          if (id == context_.selection->candidate()) show(candidate);
        },
        [this, id](const EngineError& error) {
          if (id != context_.selection->candidate()) return;
          nothing_->setText(error.message);
          stack_->setCurrentIndex(0);
        });
  }

  void load_if_waiting() {
    if (waiting_ && isVisible()) load();
  }

  void show(const json& candidate) {
    const QString status = candidate_status(candidate);
    waiting_ = status.isEmpty() || status == QLatin1String("in_flight");
    const json* measured = best_measurement(candidate);
    const QString speedup = measured ? speedup_text(number(*measured, "ratio"), range(*measured, "ratio_ci95")) : QString();
    title_->setText(QStringLiteral("<b>%1</b>&nbsp; %2 &nbsp;<span style='color:%3'>%4</span>&nbsp; %5")
                        .arg(text(candidate, "id").toHtmlEscaped(), context_.session->task_title(text(candidate, "task")).toHtmlEscaped(),
                             look_color(status).name(), look_text(status).toHtmlEscaped(), speedup.toHtmlEscaped()));
    source_->show_candidate(candidate);
    plan_->setHtml(plan_html(candidate));
    recipe_->setHtml(recipe_html(candidate));
    evidence_->setHtml(all_evidence_html(candidate));
    measurements_->show_candidate(candidate);
    assembly_of_.clear();
    assembly_->show_text({}, SourceView::Language::plain);
    stack_->setCurrentIndex(1);
    load_assembly();
  }

  // Disassembling runs a program, so it waits until somebody looks.
  void load_assembly() {
    const QString id = context_.selection->candidate();
    if (tabs_->currentWidget() != assembly_ || id.isEmpty() || assembly_of_ == id) return;
    assembly_of_ = id;
    assembly_->show_text(QStringLiteral("Disassembling…"), SourceView::Language::plain);
    const auto show = [this, id](const QString& words) {
      if (assembly_of_ == id) assembly_->show_text(words, SourceView::Language::assembly);
    };
    context_.engine->call(
        QStringLiteral("candidate/assembly"), {{"session", context_.selection->session().toStdString()}, {"id", id.toStdString()}}, this,
        [show](const json& result) { show(text(result, "text")); }, [show](const EngineError& error) { show(error.message); });
  }

  DockContext context_;
  QStackedWidget* stack_;
  QLabel *nothing_, *title_;
  QTabWidget* tabs_;
  SourceTab* source_;
  SourceView* assembly_;
  QTextBrowser *plan_, *recipe_, *evidence_;
  MeasurementsTab* measurements_;
  QString assembly_of_;
  bool waiting_ = false;
};

}  // namespace

QWidget* make_candidate_dock(const DockContext& context, QWidget* parent) { return new CandidateDock(context, parent); }

}  // namespace kw::ui
