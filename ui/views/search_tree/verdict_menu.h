#pragma once
// The verdicts with their signs and counts: a filter and a legend in one. It stays open while verdicts are ticked.

#include <set>
#include <vector>

#include <QMenu>

namespace kw::ui {

class VerdictMenu : public QMenu {
  Q_OBJECT

 public:
  explicit VerdictMenu(QWidget* parent = nullptr);
  std::set<std::uint8_t> chosen() const;       // rows of verdict_styles(); empty: all
  void set_counts(const std::vector<int>& counts);

 Q_SIGNALS:
  void changed();

 protected:
  void mouseReleaseEvent(QMouseEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void tick(bool (*wanted)(std::uint8_t row));
  void draw_icons();
  std::vector<QAction*> rows_;
};

}  // namespace kw::ui
