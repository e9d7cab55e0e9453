#pragma once
// Failed evaluations as a tree: verdict, cause (the same summary), candidate; as far as the selection's moment. GUI thread.

#include <set>

#include <QAbstractItemModel>

#include "ui/models/records.h"

namespace kw::ui {

class Session;

class FailuresModel : public QAbstractItemModel {
  Q_OBJECT

 public:
  enum Column { What, Count, Task, Purpose, Evaluation, column_count };

  explicit FailuresModel(Session* session, QObject* parent = nullptr);
  ~FailuresModel() override;
  int total() const { return static_cast<int>(known_.size()); }

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& child) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  struct Item {
    Item* parent = nullptr;
    QString verdict, text, key, hint;
    Failure failure;                            // of a candidate's row
    int count = 0;                              // failures below it
    std::vector<std::unique_ptr<Item>> children;
    int row() const;
  };
  void fill();
  void add(const FailureGroup& group, const Failure& failure);
  Item* child_of(Item* parent, const QString& key, const QString& verdict, const QString& text, const QString& hint);
  Item* append(Item* parent, std::unique_ptr<Item> item);
  Item* item_of(const QModelIndex& index) const;
  QModelIndex index_of(Item* item) const;

  Session* session_;
  std::unique_ptr<Item> root_;
  std::set<qint64> known_;                      // evaluations that have a row
};

}  // namespace kw::ui
