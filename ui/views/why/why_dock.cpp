#include "ui/views/why/why_dock.h"

#include <QComboBox>
#include <QLabel>
#include <QSplitter>
#include <QTextBrowser>

#include "ui/bridge/selection.h"
#include "ui/models/quantities.h"
#include "ui/models/session.h"
#include "ui/views/candidate/candidate_text.h"
#include "ui/views/why/roofline_bars.h"
#include "ui/widgets/bar.h"

namespace kw::ui {

namespace {

const QString nothing_chosen = QStringLiteral(
    "<p>What an edit changed, and why that made the kernel faster or slower, will be explained here. Choose a candidate that has a parent.</p>");

class WhyDock : public QWidget {
 public:
  WhyDock(const DockContext& context, QWidget* parent)
      : QWidget(parent), context_(context), from_(new QComboBox), to_(new QLabel), words_(new QTextBrowser), bars_(new RooflineBars) {
    from_->setAccessibleName(QStringLiteral("Compared with"));
    from_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    words_->setAccessibleName(QStringLiteral("Explanation"));
    words_->document()->setDocumentMargin(fontMetrics().height() * 0.6);
    auto* column = dock_column(this);
    QHBoxLayout* bar = add_bar(column);
    bar->addWidget(new QLabel(QStringLiteral("From")));
    bar->addWidget(from_);
    bar->addWidget(to_, 1);
    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->addWidget(words_);
    splitter->addWidget(bars_);
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    column->addWidget(splitter, 1);
    connect(from_, &QComboBox::activated, this, [this] { context_.selection->set_compared(from_->currentData().toString()); });
    connect(context.selection, &Selection::candidate_changed, this, [this] { load(); });
    connect(context.selection, &Selection::compared_changed, this, [this] { load(); });
    load();
  }

 private:
  void load() {
    const QString id = context_.selection->candidate();
    clear(id.isEmpty() ? nothing_chosen : QString());
    if (id.isEmpty()) return;
    get(id, [this, id](const json& candidate) {
      if (id != context_.selection->candidate()) return;
      after_ = candidate;
      fill_choice();
      compare();
    });
  }

  void clear(const QString& words) {
    from_->clear();
    from_->setEnabled(false);
    to_->clear();
    words_->setHtml(words);
    bars_->show_pair({}, {});
  }

  void get(const QString& id, Engine::Done done) {
    context_.engine->call(QStringLiteral("candidate/get"), {{"session", context_.selection->session().toStdString()}, {"id", id.toStdString()}}, this,
                          std::move(done), [this](const EngineError& error) { words_->setPlainText(error.message); });
  }

  void fill_choice() {
    QStringList ids;
    for (const json& edge : array(after_, "parents")) ids << text(edge, "parent");
    const QString compared = context_.selection->compared();
    if (!compared.isEmpty() && !ids.contains(compared)) ids << compared;
    from_->clear();
    for (const QString& id : ids) from_->addItem(id, id);
    from_->setCurrentIndex(std::max(0, static_cast<int>(ids.indexOf(compared))));
    from_->setEnabled(ids.size() > 1);
    to_->setText(QStringLiteral("to %1").arg(text(after_, "id")));
  }

  void compare() {
    const QString a = from_->currentData().toString(), b = text(after_, "id");
    if (a.isEmpty()) return words_->setHtml(QStringLiteral("<p>%1 is the first candidate of its task: there is no edit to explain. Compare it with another one in the Diff.</p>").arg(b));
    context_.engine->call(
        QStringLiteral("candidate/diff"), {{"session", context_.selection->session().toStdString()}, {"a", a.toStdString()}, {"b", b.toStdString()}}, this,
        [this, a, b](const json& result) {
          if (b != context_.selection->candidate()) return;
          show_sentences(a, result);
        },
        [this](const EngineError& error) { words_->setPlainText(error.message); });
    get(a, [this, b](const json& before) {
      if (b == context_.selection->candidate()) bars_->show_pair(before, after_);
    });
  }

  void show_sentences(const QString& a, const json& difference) {
    QString html;
    for (const json& edge : array(after_, "parents"))
      if (text(edge, "parent") == a) html += QStringLiteral("<h3>%1</h3>").arg(text(edge, "description").toHtmlEscaped());
    html += QStringLiteral("<ul>");
    for (const json& sentence : array(difference, "why"))
      if (sentence.is_string()) html += QStringLiteral("<li style='margin-bottom:0.4em'>%1</li>").arg(QString::fromStdString(sentence).toHtmlEscaped());
    html += QStringLiteral("</ul>");
    if (array(difference, "why").empty()) html += QStringLiteral("<p>Nothing that can be counted changed: the same traffic, loops and launch.</p>");
    words_->setHtml(html);
  }

  DockContext context_;
  QComboBox* from_;
  QLabel* to_;
  QTextBrowser* words_;
  RooflineBars* bars_;
  json after_ = json::object();
};

}  // namespace

QWidget* make_why_dock(const DockContext& context, QWidget* parent) { return new WhyDock(context, parent); }

}  // namespace kw::ui
