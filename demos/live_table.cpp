/// A subscriber that shows a live table of an engine's clusters.
///
///     live_table tcp://127.0.0.1:7401 tcp://127.0.0.1:7402 fair            until Ctrl-C
///     live_table tcp://127.0.0.1:7401 tcp://127.0.0.1:7402 fair 200        until batch 200
///
/// It may join and leave at any time: it starts from a snapshot, and requests missed updates.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

#include <fairstream/zmq/subscriber.hpp>

#include "screen.hpp"

namespace {

using namespace fairstream;
using demo::counted, demo::fixed, demo::padded, demo::percent;

/// Returns the balance of one cluster, from the counts of its groups.
double cluster_balance(const wire::AttributeReport& attribute, std::size_t cluster, std::size_t clusters) {
    const auto groups = static_cast<std::ptrdiff_t>(attribute.counts.size() / clusters);
    const auto first = attribute.counts.begin() + static_cast<std::ptrdiff_t>(cluster) * groups;
    const auto [least, most] = std::minmax_element(first, first + groups);
    return *most == 0 ? 0 : static_cast<double>(*least) / static_cast<double>(*most);
}

class LiveTable {
public:
    explicit LiveTable(const zmq::SubscriberOptions& options) : model_(options.model), subscriber_(options) {}

    /// Processes arriving messages for up to `time`.
    void listen(std::chrono::milliseconds time) {
        for (const zmq::LabelSubscriber::Event& event : subscriber_.poll(time)) {
            const auto* changes = std::get_if<zmq::LabelChanges>(&event);
            if (changes == nullptr || changes->replaced) continue;  // a snapshot: no point moved
            for (const ClusterId cluster : changes->outputs) {
                joined_.resize(std::max(joined_.size(), static_cast<std::size_t>(cluster) + 1));
                ++joined_[static_cast<std::size_t>(cluster)];
            }
        }
    }
    /// Returns whether labels and figures are as of `event`, a batch, or a later event.
    [[nodiscard]] bool is_at(Sequence event) const {
        const auto there = [event](const auto& figures) { return figures && figures->sequence >= event; };
        return subscriber_.consistent() && subscriber_.sequence() >= event && there(subscriber_.fairness()) &&
               there(subscriber_.clusters());
    }

    /// Returns the table as text, with the number of points that joined each cluster since the last call.
    std::string draw() {
        std::string text = "model " + model_ + "  event " + counted(subscriber_.sequence()) + "  " +
                           counted(subscriber_.labels().size()) + " labels" +
                           (subscriber_.consistent() ? "" : ", waiting for newer labels");
        if (!subscriber_.fairness()) return text + "\n";
        const wire::FairnessReport& figures = subscriber_.fairness()->report;
        text += "  cost " + demo::figure(figures.cost) + "  churn " + percent(figures.churn) + "\n\n" +
                "cluster      size    joined" + heading(figures) + "\n";
        for (std::size_t cluster = 0; cluster < sizes().size(); ++cluster) text += row(figures, cluster);
        text += padded("all", 7) + padded(counted(static_cast<std::uint64_t>(figures.points)), 10) + padded("", 10);
        for (const auto& attribute : figures.attributes()) text += cell(attribute, attribute.balance);
        joined_.assign(joined_.size(), 0);
        return text + "\n";
    }

private:
    [[nodiscard]] std::vector<std::int64_t> sizes() const {
        return subscriber_.clusters() ? subscriber_.clusters()->report.sizes : std::vector<std::int64_t>{};
    }
    static std::string heading(const wire::FairnessReport& figures) {
        std::string text;
        for (const auto& attribute : figures.attributes())
            text += "      " + padded("balance of " + attribute.attribute, -21);
        return text;
    }
    static std::string cell(const wire::AttributeReport& attribute, double balance) {
        return "      " + fixed(balance, 3) + " " +
               demo::bar(attribute.best_balance > 0 ? balance / attribute.best_balance : 0, 15);
    }
    std::string row(const wire::FairnessReport& figures, std::size_t cluster) {
        joined_.resize(std::max(joined_.size(), cluster + 1));
        std::string text = padded(std::to_string(cluster), 7) +
                           padded(counted(static_cast<std::uint64_t>(sizes()[cluster])), 10) +
                           padded(counted(joined_[cluster]), 10);
        for (const auto& attribute : figures.attributes())
            text += cell(attribute, cluster_balance(attribute, cluster, sizes().size()));
        return text + "\n";
    }

    std::string model_;
    zmq::LabelSubscriber subscriber_;
    std::vector<std::uint64_t> joined_;
};

/// Draws `text` over the previous screen.
void draw_on_screen(const std::string& text) {
    std::string drawing = "\x1b[H";
    for (const char c : text) drawing += c == '\n' ? "\x1b[K\n" : std::string(1, c);
    std::fputs((drawing + "\x1b[J").c_str(), stdout);
    std::fflush(stdout);
}

/// Draws several times a second on a terminal; elsewhere only the last table is shown.
void run(LiveTable& table, std::optional<Sequence> last) {
    while (!last || !table.is_at(*last)) {
        table.listen(std::chrono::milliseconds(200));
        if (demo::on_terminal()) draw_on_screen(table.draw());
    }
    if (!demo::on_terminal()) std::fputs(table.draw().c_str(), stdout);
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 4 && count != 5) {
        std::fputs("Usage: live_table UPDATES CONTROL MODEL [EVENT]\n", stderr);
        return 2;
    }
    try {
        zmq::SubscriberOptions options;
        options.updates_endpoint = arguments[1];
        options.control_endpoint = arguments[2];
        options.model = arguments[3];
        options.clusters = true;
        LiveTable table(options);
        run(table, count == 5 ? std::optional<Sequence>(std::strtoull(arguments[4], nullptr, 10)) : std::nullopt);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "live_table: %s\n", error.what());
        return 1;
    }
}
