#include <fairstream/csv/feature_remarks.hpp>

#include <cmath>

#include <fairstream/csv/numbers.hpp>

namespace fairstream::csv {

FeatureRemarks::FeatureRemarks(const std::vector<std::string>& names, const std::vector<FeatureColumn>& kinds,
                               Points points)
    : points_(points) {
    for (const std::string& name : names) {
        const std::size_t i = of_.size();
        const bool is_described = i < kinds.size();
        const Kind kind = is_described && kinds[i].dates != DateUnit::none ? Kind::date
                          : is_described && kinds[i].is_category()         ? Kind::category
                                                                           : Kind::number;
        of_.push_back({.name = name, .kind = kind, .unlisted = {.column = name}});
    }
}

void FeatureRemarks::add(std::size_t i, const Reader& reader, std::size_t column, double value) {
    Feature& of = of_[i];
    of.resolution.add(value);
    if (std::isnan(value)) return;
    if (of.kind == Kind::date) return of.stand_ins.add_date(reader.trimmed_cell(column));
    if (of.stand_ins.is_of_interest(value)) of.stand_ins.add_number(reader.trimmed_cell(column), value);
    if (points_ != Points::are_known && of.kind == Kind::number) of.points.add(reader.trimmed_cell(column));
}

void FeatureRemarks::begin_row() {
    missing_of_row_.clear();
    unlisted_of_row_.clear();
}

void FeatureRemarks::count_row() {
    for (const std::size_t i : missing_of_row_) ++of_[i].missing;
    for (const auto& [i, cell] : unlisted_of_row_) of_[i].unlisted.add(cell);
    begin_row();
}

void FeatureRemarks::DecimalPoints::add(std::string_view cell) {
    if (cell.find('.') == std::string_view::npos) return;
    if (all++ == 0) first = cell;
    like_thousands += without_marks(cell, DecimalMark::comma).has_value();
}

void FeatureRemarks::add_to(Remarks& remarks) const {
    constexpr std::uint64_t least_points = 3;
    for (const Feature& of : of_) {
        if (of.unlisted.cells > 0) remarks.unlisted.push_back(of.unlisted);
        if (of.missing > 0) remarks.missing.push_back({of.name, of.missing});
        if (const std::uint64_t cells = of.stand_ins.count(); cells > 0)
            remarks.stand_ins.push_back({of.name, of.stand_ins.first(), cells});
        if (of.points.all >= least_points && of.points.all == of.points.like_thousands)
            remarks.like_thousands.push_back({of.name, of.points.first, points_ == Points::of_thousands});
        if (of.resolution.is_coarse()) remarks.coarse.push_back({of.name, of.resolution.lost(), of.resolution.last()});
    }
}

}  // namespace fairstream::csv
