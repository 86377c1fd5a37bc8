#include <fairstream/files/points/detail/split.hpp>

#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include <fairstream/base/number_text.hpp>
#include <fairstream/numeric/draws.hpp>

namespace fairstream::files {
namespace {

constexpr double sum_tolerance = 1e-9;

[[noreturn]] void refuse(const std::string& why) {
    throw InvalidInput(Reason::bad_option, why);
}

/// Returns the numbers from 0 to n - 1 in a random order (Fisher-Yates).
std::vector<std::uint32_t> random_order(std::size_t n, std::uint64_t seed) {
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0U);
    Draws draws(seed);
    for (std::size_t left = n; left > 1; --left)
        std::swap(order[left - 1], order[draws.below(static_cast<std::uint32_t>(left))]);
    return order;
}

}  // namespace

Fractions read_fractions(std::string_view text) {
    const std::string given = "split " + std::string(text) + ": ";
    Fractions fractions;
    for (const char *at = text.data(), *const end = at + text.size();; ++at) {
        double fraction = 0;
        const auto [stop, error] = std::from_chars(at, end, fraction);
        if (error != std::errc() || !(fraction > 0 && fraction < 1) || (stop != end && *stop != ','))
            refuse(given + "fractions must be numbers above 0 and below 1, between commas");
        fractions.push_back(fraction);
        at = stop;
        if (at == end) break;
    }
    if (fractions.size() < 2 || fractions.size() > 3)
        refuse(given + std::to_string(fractions.size()) +
               " fractions: must be two (training, test) or three (training, validation, test)");
    const double sum = std::accumulate(fractions.begin(), fractions.end(), 0.0);
    if (std::abs(sum - 1) > sum_tolerance) refuse(given + "the sum must be 1, and is " + number_text(sum));
    return fractions;
}

void draw_parts(const Fractions& fractions, std::uint64_t seed, Table& table) {
    const std::size_t n = table.size();
    if (n > std::numeric_limits<std::uint32_t>::max()) refuse(std::to_string(n) + " rows are too many to split");
    const std::vector<std::uint32_t> order = random_order(n, seed);
    std::vector<Part> parts(n, Part::test);
    double before = 0;
    std::size_t first = 0;
    for (std::size_t p = 0; p < fractions.size(); ++p) {
        before += fractions[p];
        const bool is_last = p + 1 == fractions.size();
        const std::size_t last = is_last ? n : static_cast<std::size_t>(std::llround(before * static_cast<double>(n)));
        if (last <= first)
            refuse("split: a share of " + number_text(fractions[p]) + " of " + std::to_string(n) +
                   " rows leaves a part without rows; give larger shares or more rows");
        for (std::size_t i = first; i < last; ++i) parts[order[i]] = is_last ? Part::test : static_cast<Part>(p);
        first = last;
    }
    table.parts = std::move(parts);
}

Table rows_of(const Table& table, Part part) {
    std::vector<std::uint64_t> rows;
    for (std::size_t row = 0; row < table.size(); ++row)
        if (table.parts.empty() ? part == Part::training : table.parts[row] == part) rows.push_back(row);
    Table result = table;
    select_rows(result, rows);
    result.parts.clear();
    return result;
}

}  // namespace fairstream::files
