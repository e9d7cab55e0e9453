#pragma once
// A candidate's source: read, searched, edited into a new candidate. What was edited stays as a draft until it is evaluated or discarded.

#include <QLabel>
#include <QPushButton>
#include <QTimer>

#include "ui/models/records.h"
#include "ui/views/dock_context.h"
#include "ui/widgets/source_view.h"

namespace kw::ui {

SourceView::Language language_of(const json& candidate);

class SourceTab : public QWidget {
  Q_OBJECT

 public:
  SourceTab(const DockContext& context, QWidget* parent);
  void show_candidate(const json& candidate);

 private:
  void set_editing(bool editing);
  void keep();
  void evaluate();
  void discard();
  void say(const QString& words) { note_->setText(words); }

  DockContext context_;
  SourceView* view_;
  QLabel* note_;
  QPushButton *edit_, *evaluate_, *discard_;
  QTimer saving_;
  QString id_, session_, original_;
  SourceView::Language language_ = SourceView::Language::cpp;
};

}  // namespace kw::ui
