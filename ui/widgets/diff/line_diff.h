#pragma once
// The difference of two texts as rows that stand side by side, with the words that changed. Pure (dtl: Wu's O(NP) algorithm).

#include <vector>

#include <QString>
#include <QStringList>

namespace kw::ui {

enum class RowKind { same, changed, removed, added };

struct WordRange { int begin = 0, length = 0; };     // in QChars of its line

struct DiffRow {
  RowKind kind = RowKind::same;
  int left = -1, right = -1;                         // lines from 0; -1: nothing stands there
  std::vector<WordRange> left_words, right_words;    // of a changed row
};

struct LineDiff {
  QStringList left, right;
  std::vector<DiffRow> rows;
  std::vector<int> changes;                          // the row at which each run of changed rows begins
  int added = 0, removed = 0;                        // lines
};

LineDiff line_diff(const QString& left, const QString& right);

// One under the other: of a run of changed rows first all that went, then all that came.
struct UnifiedLine {
  int row = 0, left = -1, right = -1;                // both: the same line
  bool same() const { return left >= 0 && right >= 0; }
};
std::vector<UnifiedLine> unified_lines(const LineDiff& diff);

}  // namespace kw::ui
