#include "ui/views/candidate/source_tab.h"

#include "ui/bridge/selection.h"
#include "ui/models/jobs_model.h"
#include "ui/models/session.h"
#include "ui/views/candidate/candidate_text.h"
#include "ui/views/candidate/drafts.h"
#include "ui/views/trust/trusted_call.h"
#include "ui/widgets/bar.h"

namespace kw::ui {

namespace {

constexpr int save_after_ms = 500;
const QString kernel_head = QStringLiteral("// task:");   // how the engine begins a kernel, below what all kernels share

}  // namespace

SourceView::Language language_of(const json& candidate) {
  return text(candidate, "language") == QLatin1String("cuda") ? SourceView::Language::cuda : SourceView::Language::cpp;
}

SourceTab::SourceTab(const DockContext& context, QWidget* parent)
    : QWidget(parent), context_(context), view_(new SourceView(QStringLiteral("Candidate source"))), note_(new QLabel),
      edit_(new QPushButton(QStringLiteral("&Edit"))), evaluate_(new QPushButton(QStringLiteral("E&valuate as new candidate"))),
      discard_(new QPushButton(QStringLiteral("&Discard draft"))) {
  auto* column = dock_column(this);
  column->addWidget(view_, 1);
  QHBoxLayout* bar = add_bar(column);
  note_->setForegroundRole(QPalette::PlaceholderText);
  note_->setWordWrap(true);
  bar->addWidget(note_, 1);
  for (QPushButton* button : {discard_, evaluate_, edit_}) bar->addWidget(button);
  edit_->setToolTip(QStringLiteral("Change the source; the change becomes a candidate of its own, this one stays as it is"));
  saving_.setSingleShot(true);
  saving_.setInterval(save_after_ms);
  connect(&saving_, &QTimer::timeout, this, [this] { keep(); });
  connect(view_, &SourceView::edited, &saving_, qOverload<>(&QTimer::start));
  connect(edit_, &QPushButton::clicked, this, [this] { set_editing(true); });
  connect(evaluate_, &QPushButton::clicked, this, [this] { evaluate(); });
  connect(discard_, &QPushButton::clicked, this, [this] { discard(); });
  set_editing(false);
  edit_->setEnabled(false);
}

void SourceTab::show_candidate(const json& candidate) {
  if (saving_.isActive()) keep();
  id_ = text(candidate, "id");
  session_ = context_.selection->session();
  original_ = text(candidate, "source");
  hash_ = text(candidate, "hash");
  language_ = language_of(candidate);
  const std::optional<QString> begun = draft(session_, id_);
  view_->show_text(begun.value_or(original_), language_);
  view_->begin_at(kernel_head);
  if (!begun) view_->mark_lines(lines_in_compiler_output(candidate));
  set_editing(begun.has_value());
  const bool read_only = context_.session->read_only();
  edit_->setEnabled(!read_only && !id_.isEmpty());
  say(begun ? QStringLiteral("Your draft of %1.").arg(id_) : read_only ? QStringLiteral("This session is read-only.") : QString());
}

void SourceTab::set_editing(bool editing) {
  view_->set_editable(editing);
  edit_->setVisible(!editing);
  evaluate_->setVisible(editing);
  discard_->setVisible(editing);
  if (editing && draft(session_, id_)) return;
  say(editing ? QStringLiteral("Edit the source; what you write is kept as a draft.") : QString());
}

void SourceTab::keep() {
  saving_.stop();
  if (id_.isEmpty() || view_->text() == original_) return;
  say(keep_draft(session_, id_, view_->text()) ? QStringLiteral("Draft of %1 kept.").arg(id_) : QStringLiteral("The draft could not be written to your home folder."));
}

void SourceTab::evaluate() {
  keep();
  const QString parent = id_, session = session_, source = view_->text();
  if (source == original_) return say(QStringLiteral("Nothing was changed yet."));
  say(QStringLiteral("Sent for evaluation…"));
  const auto fail = [this](const EngineError& error) { say(error.message); };
  trusted_call(
      context_.engine, QStringLiteral("candidate/edit"),
      {{"session", session.toStdString()}, {"parent", parent.toStdString()}, {"source", source.toStdString()}}, {context_.session->model_path(), hash_}, this,
      [this, session, parent, fail](const json& result) {
        const auto done = [this, session, parent](const json& made) {
          discard_draft(session, parent);
          if (context_.selection->session() == session) context_.selection->set_candidate(text(made, "candidate"));
        };
        context_.session->jobs()->watch(text(result, "job"), session, QStringLiteral("Evaluate an edit of %1").arg(parent), this, done, fail);
      },
      fail);
}

void SourceTab::discard() {
  saving_.stop();
  discard_draft(session_, id_);
  view_->show_text(original_, language_);
  set_editing(false);
}

}  // namespace kw::ui
