#include <fairstream/figures/front_table.hpp>

#include <vector>

#include <fairstream/text/numbers.hpp>
#include <fairstream/text/table.hpp>

namespace fairstream::figures {

std::string front_table(std::span<const OperatingPoint> points) {
    std::vector<std::vector<std::string>> rows{{"point", "asked", "balance", "cost", ""}};
    for (std::size_t i = 0; i < points.size(); ++i) {
        const OperatingPoint& point = points[i];
        const std::string asked = point.balance_at_least > 0
                                      ? "at least " + fixed(point.balance_at_least, 3)
                                      : counted(point.kmeans_updates) + " : " + counted(point.swaps);
        rows.push_back({std::to_string(i), asked, fixed(point.balance), cost_text(point.cost),
                        point.published ? "published" : ""});
    }
    return table(rows, "rrrrl");
}

}  // namespace fairstream::figures
