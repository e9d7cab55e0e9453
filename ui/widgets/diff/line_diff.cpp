#include "ui/widgets/diff/line_diff.h"

#include <string>

#include <dtl/dtl.hpp>

namespace kw::ui {
namespace {

constexpr std::size_t most_words = 600;   // a line; above, the whole line counts as changed

template <class T>
std::vector<dtl::edit_t> script(const std::vector<T>& a, const std::vector<T>& b) {
  dtl::Diff<T> diff(a, b);
  diff.compose();
  std::vector<dtl::edit_t> out;
  for (const auto& [element, info] : diff.getSes().getSequence()) out.push_back(info.type);
  return out;
}

std::vector<std::string> lines_of(const QStringList& lines) {
  std::vector<std::string> out;
  for (const QString& line : lines) out.push_back(line.toStdString());
  return out;
}

struct Word { WordRange range; std::string text; };

// Identifiers and numbers, runs of blanks, and single signs.
std::vector<Word> words_of(const QString& line) {
  const auto kind = [](QChar c) { return c.isLetterOrNumber() || c == '_' ? 0 : c.isSpace() ? 1 : 2; };
  std::vector<Word> out;
  for (int i = 0; i < line.size();) {
    int end = i + 1;
    while (end < line.size() && kind(line[i]) != 2 && kind(line[end]) == kind(line[i])) ++end;
    out.push_back({{i, end - i}, line.mid(i, end - i).toStdString()});
    i = end;
  }
  return out;
}

void add_range(std::vector<WordRange>& ranges, const WordRange& range) {
  if (!ranges.empty() && ranges.back().begin + ranges.back().length == range.begin) ranges.back().length += range.length;
  else ranges.push_back(range);
}

void mark_words(DiffRow& row, const QString& left, const QString& right) {
  const std::vector<Word> a = words_of(left), b = words_of(right);
  if (a.size() > most_words || b.size() > most_words) {
    row.left_words = {{0, static_cast<int>(left.size())}};
    row.right_words = {{0, static_cast<int>(right.size())}};
    return;
  }
  std::vector<std::string> texts_a, texts_b;
  for (const Word& w : a) texts_a.push_back(w.text);
  for (const Word& w : b) texts_b.push_back(w.text);
  std::size_t i = 0, j = 0;
  for (const dtl::edit_t edit : script(texts_a, texts_b)) {
    if (edit == dtl::SES_DELETE) add_range(row.left_words, a[i++].range);
    else if (edit == dtl::SES_ADD) add_range(row.right_words, b[j++].range);
    else ++i, ++j;
  }
}

}  // namespace

LineDiff line_diff(const QString& left, const QString& right) {
  LineDiff out;
  out.left = left.split('\n');
  out.right = right.split('\n');
  int i = 0, j = 0;
  std::vector<int> gone, come;
  const auto close_run = [&] {   // lines that went and came at one place are changed lines, in pairs
    const std::size_t pairs = std::min(gone.size(), come.size());
    if (!gone.empty() || !come.empty()) out.changes.push_back(static_cast<int>(out.rows.size()));
    for (std::size_t n = 0; n < std::max(gone.size(), come.size()); ++n) {
      DiffRow row;
      row.kind = n < pairs ? RowKind::changed : n < gone.size() ? RowKind::removed : RowKind::added;
      if (n < gone.size()) row.left = gone[n];
      if (n < come.size()) row.right = come[n];
      if (n < pairs) mark_words(row, out.left[row.left], out.right[row.right]);
      out.rows.push_back(std::move(row));
    }
    out.removed += static_cast<int>(gone.size());
    out.added += static_cast<int>(come.size());
    gone.clear();
    come.clear();
  };
  for (const dtl::edit_t edit : script(lines_of(out.left), lines_of(out.right))) {
    if (edit == dtl::SES_DELETE) gone.push_back(i++);
    else if (edit == dtl::SES_ADD) come.push_back(j++);
    else {
      close_run();
      out.rows.push_back({RowKind::same, i++, j++, {}, {}});
    }
  }
  close_run();
  return out;
}

std::vector<UnifiedLine> unified_lines(const LineDiff& diff) {
  std::vector<UnifiedLine> out;
  const int rows = static_cast<int>(diff.rows.size());
  const auto row_at = [&](int r) -> const DiffRow& { return diff.rows[static_cast<std::size_t>(r)]; };
  for (int r = 0; r < rows;) {
    int end = r;
    while (end < rows && row_at(end).kind != RowKind::same) ++end;
    for (int i = r; i < end; ++i)
      if (row_at(i).left >= 0) out.push_back({i, row_at(i).left, -1});
    for (int i = r; i < end; ++i)
      if (row_at(i).right >= 0) out.push_back({i, -1, row_at(i).right});
    if (end < rows) out.push_back({end, row_at(end).left, row_at(end).right});
    r = end + 1;
  }
  return out;
}

}  // namespace kw::ui
