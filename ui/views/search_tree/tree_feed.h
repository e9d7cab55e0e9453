#pragma once
// Keeps a TreeData as the engine has it: asks `session/tree` for what is new when the engine says that something is. One request at a time,
// and after a large answer the next one waits longer. GUI thread.

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include "ui/models/tree/tree_data.h"
#include "ui/views/dock_context.h"

namespace kw::ui {

struct EngineError;

class TreeFeed : public QObject {
  Q_OBJECT

 public:
  explicit TreeFeed(const DockContext& context, QObject* parent = nullptr);
  const TreeData& tree() const { return tree_; }
  bool complete() const { return complete_; }   // nothing more is on its way that was there when it was asked for

 Q_SIGNALS:
  void started_anew();                          // another session, or none
  void changed(const kw::ui::TreeData::Change& change);
  void failed(const QString& message);

 private:
  void start_anew();
  void ask();
  void take(const json& answer);

  DockContext context_;
  TreeData tree_;
  json version_;
  QString session_;
  QTimer later_;
  QElapsedTimer asked_;
  bool busy_ = false, dirty_ = false, complete_ = false;
};

}  // namespace kw::ui
