#include "ui/views/review/review_dock.h"

#include <QEvent>
#include <QFileDialog>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSaveFile>
#include <QSettings>
#include <QSplitter>
#include <QTextBrowser>

#include "ui/bridge/selection.h"
#include "ui/models/jobs_model.h"
#include "ui/models/quantities.h"
#include "ui/models/reviews_model.h"
#include "ui/models/roles.h"
#include "ui/models/session.h"
#include "ui/shell/theme.h"
#include "ui/views/candidate/candidate_text.h"
#include "ui/views/review/checklist.h"
#include "ui/views/review/html_report.h"
#include "ui/views/trust/trusted_call.h"
#include "ui/widgets/bar.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/palette.h"
#include "ui/widgets/table_view.h"

namespace kw::ui {

namespace {

const QString nothing_chosen = QStringLiteral("<p>Choose a candidate: what a reviewer should look at will be listed here.</p>");
struct Decision { const char* label; const char* value; };
constexpr Decision decisions[] = {{"&Approve", "approved"}, {"Re&ject", "rejected"}, {"Co&mment", "comment"}};

QString checks_html(const std::vector<Check>& checks) {
  QString out = QStringLiteral("<table>");
  for (const Check& check : checks)
    out += QStringLiteral("<tr><td style='color:%1; padding-right:0.6em'>%2</td><td style='padding-bottom:0.4em'><b>%3</b><br>%4</td></tr>")
               .arg(tone(check.passed ? Tone::good : Tone::failure).name(), check.passed ? QStringLiteral("✓") : QStringLiteral("✗"), check.question.toHtmlEscaped(),
                    check.answer.toHtmlEscaped());
  return out + QStringLiteral("</table>");
}

class ReviewDock : public QWidget {
 public:
  ReviewDock(const DockContext& context, QWidget* parent)
      : QWidget(parent), context_(context), title_(new QLabel), checks_(new QTextBrowser), comment_(new QPlainTextEdit), reviewer_(new QLineEdit), note_(new QLabel) {
    auto* table = new TableView(QStringLiteral("reviews"), QStringLiteral("Reviews"), this);
    table->setRootIsDecorated(false);
    table->setModel(new ReviewsModel(context.session, this));
    EmptyState::watch(table, QStringLiteral("Reviews of this session will be listed here. Choose a candidate and decide below."));
    checks_->setAccessibleName(QStringLiteral("Checklist"));
    checks_->document()->setDocumentMargin(fontMetrics().height() * 0.5);
    comment_->setPlaceholderText(QStringLiteral("Comment"));
    comment_->setAccessibleName(QStringLiteral("Comment"));
    comment_->setMaximumHeight(fontMetrics().lineSpacing() * 4);
    comment_->setTabChangesFocus(true);
    reviewer_->setAccessibleName(QStringLiteral("Reviewer"));
    reviewer_->setPlaceholderText(QStringLiteral("Reviewer"));
    reviewer_->setText(QSettings().value(QStringLiteral("review/reviewer"), qEnvironmentVariable("USER")).toString());
    note_->setWordWrap(true);
    note_->setForegroundRole(QPalette::PlaceholderText);
    title_->setTextFormat(Qt::RichText);

    auto* below = new QWidget;
    auto* inner = dock_column(below);
    add_bar(inner)->addWidget(title_, 1);
    inner->addWidget(checks_, 1);
    add_bar(inner)->addWidget(comment_);
    QHBoxLayout* bar = add_bar(inner);
    bar->addWidget(reviewer_, 1);
    for (const Decision& decision : decisions) add_button(bar, decision.label, [this, value = decision.value] { decide(value); });
    bar = add_bar(inner);
    bar->addWidget(note_, 1);
    add_button(bar, "&Verify again here", [this] { verify(); });
    add_button(bar, "E&xport…", [this] { export_candidate(); });
    add_button(bar, "Save &report…", [this] { save_report(); });
    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->addWidget(table);
    splitter->addWidget(below);
    splitter->setStretchFactor(0, 1);
    splitter->setStretchFactor(1, 3);
    splitter->setChildrenCollapsible(false);
    dock_column(this)->addWidget(splitter);

    connect(table, &TableView::row_chosen, this, [this](const QModelIndex& index) { context_.selection->set_candidate(index.data(CandidateRole).toString()); });
    connect(context.selection, &Selection::candidate_changed, this, [this] { load(); });
    connect(context.session, &Session::opened, this, [this] { load(); });
    load();
  }

 protected:
  void changeEvent(QEvent* event) override {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) load();   // its HTML has the colours in it
  }

 private:
  void add_button(QHBoxLayout* bar, const char* label, std::function<void()> act) {
    auto* button = new QPushButton(QString::fromUtf8(label));
    connect(button, &QPushButton::clicked, this, std::move(act));
    bar->addWidget(button);
    buttons_ << button;
  }

  json params(const char* key) const { return {{"session", context_.selection->session().toStdString()}, {key, context_.selection->candidate().toStdString()}}; }
  Engine::Failed complain() {
    return [this](const EngineError& error) { note_->setText(error.message); };
  }

  void load() {
    const QString id = context_.selection->candidate();
    candidate_ = json::object();
    checks_->setHtml(nothing_chosen);
    title_->clear();
    for (QPushButton* button : buttons_) button->setEnabled(false);
    if (id.isEmpty()) return;
    context_.engine->call(QStringLiteral("candidate/get"), params("id"), this, [this, id](const json& candidate) {
      if (id == context_.selection->candidate()) show(candidate);
    }, complain());
  }

  void show(const json& candidate) {
    candidate_ = candidate;
    const QString status = candidate_status(candidate);
    title_->setText(QStringLiteral("<b>%1</b>&nbsp; %2 &nbsp;<span style='color:%3'>%4</span>")
                        .arg(text(candidate, "id"), context_.session->task_title(text(candidate, "task")).toHtmlEscaped(), look_color(status).name(),
                             look_text(status).toHtmlEscaped()));
    checks_->setHtml(checks_html(checklist(candidate, here())));
    const bool read_only = context_.session->read_only();
    for (QPushButton* button : buttons_) button->setEnabled(!read_only || button->text().startsWith(QLatin1String("Save")) || button->text().startsWith(QLatin1String("E&x")));
    if (read_only) note_->setText(QStringLiteral("This session is read-only: it can be looked at, not signed."));
  }

  QString here() const { return text(context_.engine->hello(), "devices"); }

  void decide(const char* decision) {
    if (reviewer_->text().trimmed().isEmpty()) return note_->setText(QStringLiteral("Write who reviews: a decision without a name counts for nothing."));
    QSettings().setValue(QStringLiteral("review/reviewer"), reviewer_->text().trimmed());
    json what = params("candidate");
    what["decision"] = decision;
    what["comment"] = comment_->toPlainText().toStdString();
    what["reviewer"] = reviewer_->text().trimmed().toStdString();
    context_.engine->call(QStringLiteral("review/set"), what, this, [this](const json& review) {
      note_->setText(QStringLiteral("%1: %2.").arg(text(review, "candidate"), text(review, "decision")));
      comment_->clear();
      context_.session->refresh();
    }, complain());
  }

  void verify() {
    const QString id = context_.selection->candidate(), session = context_.selection->session();
    const json* before = best_measurement(candidate_);
    const QString recorded = before ? speedup_text(number(*before, "ratio"), range(*before, "ratio_ci95")) : QStringLiteral("not timed");
    note_->setText(QStringLiteral("Verifying %1…").arg(id));
    const auto done = [this, id, recorded](const json& result) {
      const json& evaluation = member(result, "evaluation");
      const json& measured = member(evaluation, "measurement");
      const QString here = measured.empty() ? look_text(text(evaluation, "verdict")) : speedup_text(number(measured, "ratio"), range(measured, "ratio_ci95"));
      note_->setText(QStringLiteral("%1: recorded %2; here %3.").arg(id, recorded, here));
      load();
    };
    trusted_call(context_.engine, QStringLiteral("candidate/verify"), params("id"), {context_.session->model_path(), text(candidate_, "hash")}, this, [this, id, session, done](const json& result) {
      context_.session->jobs()->watch(text(result, "job"), session, QStringLiteral("Verify %1").arg(id), this, done, complain());
    }, complain());
  }

  void export_candidate() {
    const QString out = text(context_.engine->hello(), "home") + QStringLiteral("/kernelwright-export/") + context_.selection->candidate();
    json what = params("id");
    what["out"] = out.toStdString();
    context_.engine->call(QStringLiteral("candidate/export"), what, this, [this, out](const json& result) {
      note_->setText(QStringLiteral("Exported where the engine runs: %1 (%2 files).").arg(out).arg(array(result, "files").size()));
    }, complain());
  }

  void save_report() {
    const QString path = QFileDialog::getSaveFileName(this, QStringLiteral("Save report"), context_.selection->candidate() + QStringLiteral(".html"), QStringLiteral("HTML (*.html)"));
    if (path.isEmpty()) return;
    QSaveFile file(path);
    const QString task = context_.session->task_title(text(candidate_, "task"));
    const QByteArray page = html_report({context_.session->info(), candidate_, task, checklist(candidate_, here())}).toUtf8();
    const bool written = file.open(QIODevice::WriteOnly) && file.write(page) == page.size() && file.commit();
    note_->setText(written ? QStringLiteral("Saved %1.").arg(path) : QStringLiteral("%1 could not be written: %2.").arg(path, file.errorString()));
  }

  DockContext context_;
  QLabel* title_;
  QTextBrowser* checks_;
  QPlainTextEdit* comment_;
  QLineEdit* reviewer_;
  QLabel* note_;
  QList<QPushButton*> buttons_;
  json candidate_ = json::object();
};

}  // namespace

QWidget* make_review_dock(const DockContext& context, QWidget* parent) { return new ReviewDock(context, parent); }

}  // namespace kw::ui
