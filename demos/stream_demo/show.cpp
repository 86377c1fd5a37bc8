#include "show.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <system_error>

#include <fairstream/models/safairkm/safairkm.hpp>

#include "../screen.hpp"

namespace demo {
namespace {

using namespace fairstream;

constexpr const char *bold = "1", *faint = "2", *good = "32", *bad = "31";

constexpr std::size_t terminal_columns = 80;

/// Returns the names, cut to `width` columns.
std::string listed(const std::vector<std::string>& names, std::size_t width) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    if (text.size() <= width) return text;
    std::size_t end = width - 3;
    while ((static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80) --end;  // not inside a character
    return text.substr(0, end) + "...";
}

}  // namespace

Show::Show(const Stream& stream)
    : stream_(stream), terminal_(on_terminal()), colours_(terminal_ && std::getenv("NO_COLOR") == nullptr) {}

void Show::heading(pid_t engine, pid_t sender) {
    const EngineOptions& options = stream_.engine;
    const Attribute& balanced = options.format.attributes[0];
    const int clusters = options.models[0].options.get<safairkm::Options>().clusters;
    print(painted(bold, stream_.title) + ", by " + balanced.name + " (" + listed(balanced.groups, 30) + ")\n" +
          "features: " + listed(stream_.features, terminal_columns - 10) + "\n" + "process " + std::to_string(sender) +
          " sends, process " + std::to_string(engine) + " clusters and records, and this one subscribes\n" +
          std::to_string(clusters) + " clusters of the newest " + counted(options.window.capacity) + " points\n" +
          painted(bold, plain) + ": online k-means; " + painted(bold, fair) +
          ": SAfairKM with the balance of every cluster >= " + fixed(stream_.target, stream_.digits()) + "\n" +
          "balance: smallest / largest group; full bar: " + fixed(stream_.balance, stream_.digits()) +
          ", the balance of all points\n\n");
    const auto line = [](const std::array<std::string, 4>& cells) {
        return padded(cells[0], 9) + " │ " + padded(cells[1], -14) + " │ " + padded(cells[2], -28) + " │ " + cells[3] +
               "\n";
    };
    print(painted(faint, line({"", "cost", "balance of the worst cluster", "churn"}) +
                             line({"points", " plain    fair", padded(plain, -15) + fair, " plain    fair"})));
}

std::string Show::balance_cell(double balance) const {
    return painted(balance >= stream_.target ? good : bad,
                   fixed(balance, stream_.digits()) + " " + bar(balance / stream_.balance, 10 - stream_.digits()));
}

std::string Show::cells(const Row& row) const {
    const auto& [first, second] = row.figures;
    return padded(counted(stream_.points_at(row.event)), 9) + " │ " + padded(figure(first.cost), 6) +
           padded(figure(second.cost), 8) + " │ " + balance_cell(first.attributes()[0].balance) + "  " +
           balance_cell(second.attributes()[0].balance) + " │ " + padded(percent(first.churn), 6) +
           padded(percent(second.churn), 8);
}

void Show::row(const Row& row) {
    print(cells(row) + "\n");
}

void Show::moving_row(const Row& row) {
    if (!terminal_) return;
    const double share = static_cast<double>(row.event) / static_cast<double>(stream_.events());
    print(cells(row) + padded(fixed(100 * share, 0) + " %", 6));
    moving_ = true;
}

void Show::outcomes(const std::array<Outcome, 2>& outcomes) {
    const auto cells = [](const std::string& name, const std::array<std::string, 6>& values) {
        std::string text = padded(name, -26);
        constexpr std::array widths = {8, 9, 9, 9, 9, 10};
        for (std::size_t i = 0; i < values.size(); ++i) text += padded(values[i], widths[i]);
        return text + "\n";
    };
    const int digits = stream_.digits();
    const auto model = [&](const std::string& name, const Outcome& o) {
        return cells(name, {figure(o.cost), fixed(o.balance, digits), fixed(o.lowest_balance, digits),
                            fixed(o.average_balance, digits), percent(o.churn), rate(o.points_per_second)});
    };
    print("\n" +
          painted(faint, cells("", {"mean", "balance", "lowest", "average", "mean", "points/s"}) +
                             cells("on the same stream", {"cost", "at end", "balance", "balance", "churn", "alone"})) +
          model("plain online k-means", outcomes[0]) +
          model("SAfairKM, balance >= " + fixed(stream_.target, stream_.digits()), outcomes[1]));
    const bool same = std::all_of(outcomes.begin(), outcomes.end(),
                                  [](const Outcome& outcome) { return outcome.same_figures && outcome.same_labels; });
    if (!same) throw std::runtime_error("a replay of the recording gives other figures or labels");
    print(painted(good, "checked") +
          ": the subscriber has the engine's labels, and a replay of the recording gives the same\n");
}

std::string Show::painted(const char* colour, const std::string& text) const {
    return colours_ ? std::string("\x1b[") + colour + "m" + text + "\x1b[0m" : text;
}

/// Prints over the moving row, if there is one.
void Show::print(const std::string& text) {
    std::fputs(((moving_ ? "\r\x1b[K" : "") + text).c_str(), stdout);
    moving_ = false;
    if (std::fflush(stdout) != 0) throw std::system_error(errno, std::generic_category(), "cannot write");
}

}  // namespace demo
