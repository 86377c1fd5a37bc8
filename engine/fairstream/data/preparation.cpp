#include <cmath>
#include <string>

#include <fairstream/base/number_text.hpp>
#include <fairstream/data/detail/followed_measure.hpp>
#include <fairstream/data/preparation.hpp>

namespace fairstream {
namespace {

FeatureColumn column_of(const StreamFormat& format, std::size_t column) {
    return format.columns.empty() ? FeatureColumn{} : format.columns[column];
}

bool is_split(const PrepareOptions& options, const StreamFormat& format, std::size_t column) {
    return is_split(options.columns[column], column_of(format, column));
}

bool may_be_missing(const StreamFormat& format, std::size_t column) {
    return column_of(format, column).may_be_missing;
}

std::string column_text(const StreamFormat& format, std::size_t column) {
    return "column " + (format.columns.empty() ? std::to_string(column) : "'" + format.columns[column].name + "'");
}

void check_levels(const ColumnPreparation& how, const FeatureColumn& about, const std::string& name) {
    const auto fail = [&](const std::string& what) {
        throw InvalidInput(Reason::bad_option, name + ": is a category: " + what);
    };
    ColumnPreparation others = how;
    others.fill.reset();
    if (others != ColumnPreparation{.missing = how.missing}) fail("remove clip, scale and log, which are for numbers");
    if (how.missing == Missing::mean) fail("it has no mean; set missing = most_frequent or indicator");
    if (!how.fill) return;
    const double levels = about.buckets > 0 ? about.buckets : static_cast<double>(about.levels.size());
    if (how.missing == Missing::indicator) fail("missing = indicator needs no fill; remove fill");
    if (!(*how.fill >= 0 && *how.fill < levels && *how.fill == std::floor(*how.fill)))
        fail("fill = " + number_text(*how.fill) + ": must be the number of a level, from 0");
}

void check_numbers(const ColumnPreparation& how, const std::string& name) {
    const auto fail = [&](const std::string& what) { throw InvalidInput(Reason::bad_option, name + ": " + what); };
    if (!(how.at_least < how.at_most))
        fail("clipped to " + number_text(how.at_least) + " and " + number_text(how.at_most) +
             ": the lower bound must be below the upper bound");
    const double most{feature_limit};
    for (const double bound : {how.at_least, how.at_most})
        if (std::isfinite(bound) && std::abs(bound) > most)
            fail("clipped to " + number_text(bound) + ": must be within +-1e15");
    if (how.at_least > most || how.at_most < -most)
        fail("clipped to " + number_text(how.at_least) + " and " + number_text(how.at_most) +
             ": must be within +-1e15");
    if (how.scale == Scale::first && how.first == 0)
        fail("scale = first: needs the number of first points, at least 1");
    if (how.scale != Scale::first && how.first != 0) fail("a number of first points is given: set scale = first too");
    if (!(std::abs(how.mean) <= largest_mean)) fail("mean = " + number_text(how.mean) + ": must be within +-1e15");
    if (!(how.deviation >= least_deviation && how.deviation <= largest_deviation))
        fail("deviation = " + number_text(how.deviation) + ": must be 1e-15 to 1e15");
    const bool is_range = how.unit == ScaleUnit::range;
    if ((how.scale != Scale::fixed || is_range) && (how.mean != 0 || how.deviation != 1))
        fail("a mean or deviation is given: it needs scale = fixed with unit = deviation");
    if (how.scale == Scale::none && is_range) fail("unit = range: needs a scale; set scale too");
    if ((how.scale != Scale::fixed || !is_range) && (how.low != 0 || how.high != 1))
        fail("a lowest and highest value are given: they need scale = fixed with unit = range");
    if (!(std::abs(how.low) <= largest_mean && std::abs(how.high) <= largest_mean &&
          how.high - how.low >= least_deviation))
        fail("range = " + number_text(how.low) + " to " + number_text(how.high) +
             ": must be within +-1e15, and the upper end at least 1e-15 above the lower end");
    if (how.fill && !(std::abs(*how.fill) <= largest_mean))
        fail("fill = " + number_text(*how.fill) + ": must be within +-1e15");
}

// Throws if the column's measure may change. A renewal converts columns one by one, but the lengths of points depend on
// all columns.
void check_stays(const ColumnPreparation& how, const FeatureColumn& about, const std::string& name) {
    const auto fail = [&](const std::string& remedy) {
        throw InvalidInput(
            Reason::bad_option,
            name + ": its preparation changes with the stream, which unit_rows does not allow: " + remedy);
    };
    if (how.scale == Scale::first || how.scale == Scale::running) fail("set scale = none or fixed");
    if (follows_points(how, about) || follows_most_frequent(how, about)) fail("set fill");
}

std::size_t width_of(const PrepareOptions& options, const StreamFormat& format, std::size_t column) {
    const std::size_t values = !is_split(options, format, column)   ? 1
                               : format.columns[column].buckets > 0 ? format.columns[column].buckets
                                                                    : format.columns[column].levels.size() + 1;
    const bool has_missing_indicator =
        may_be_missing(format, column) && options.columns[column].missing == Missing::indicator;
    return values + (has_missing_indicator ? 1 : 0);
}

}  // namespace

void check(const PrepareOptions& options, const StreamFormat& format) {
    if (!options.prepares()) {
        if (options.unit_rows)
            throw InvalidInput(Reason::bad_option,
                               "unit_rows: there is no column to prepare; add columns or remove unit_rows");
        for (std::size_t column = 0; column < format.columns.size(); ++column)
            if (format.columns[column].is_category() || may_be_missing(format, column))
                throw InvalidInput(
                    Reason::bad_option,
                    column_text(format, column) + ": is a category or may be missing, but has no preparation: add one");
        return;
    }
    if (options.columns.size() != format.dimensions)
        throw InvalidInput(Reason::bad_option, "preparation of " + std::to_string(options.columns.size()) +
                                                   " columns: must prepare all " + std::to_string(format.dimensions));
    for (std::size_t column = 0; column < options.columns.size(); ++column) {
        if (options.columns[column].fill && !may_be_missing(format, column))
            throw InvalidInput(Reason::bad_option, column_text(format, column) +
                                                       ": has a fill, and its values are never missing; remove fill");
        if (options.columns[column].encoding == Encoding::ordinal && column_of(format, column).levels.empty())
            throw InvalidInput(Reason::bad_option,
                               column_text(format, column) + ": is ordinal and lists no levels; list its levels");
        if (is_split(options, format, column))
            check_levels(options.columns[column], format.columns[column], column_text(format, column));
        else
            check_numbers(options.columns[column], column_text(format, column));
        if (options.unit_rows)
            check_stays(options.columns[column], column_of(format, column), column_text(format, column));
    }
    if (const StreamFormat prepared = prepared_format(options, format); prepared.dimensions > 65536)
        throw InvalidInput(Reason::bad_option, "the columns become " + std::to_string(prepared.dimensions) +
                                                   " features after preparation: must be at most 65536");
}

StreamFormat prepared_format(const PrepareOptions& options, const StreamFormat& format) {
    StreamFormat prepared = format;
    prepared.has_text_ids = prepared.ids_are_hashes = false;
    if (!options.prepares()) return prepared;
    prepared.dimensions = 0;
    prepared.as_sent.emplace();
    for (std::size_t column = 0; column < options.columns.size(); ++column) {
        const ColumnPreparation untouched{.fill = options.columns[column].fill};
        if (is_of_numbers(format, column) && options.columns[column] == untouched && !options.unit_rows)
            prepared.as_sent->push_back(
                {format.columns.empty() ? std::to_string(column) : format.columns[column].name, prepared.dimensions});
        prepared.dimensions += static_cast<std::uint32_t>(width_of(options, format, column));
    }
    prepared.columns.clear();
    return prepared;
}

}  // namespace fairstream
