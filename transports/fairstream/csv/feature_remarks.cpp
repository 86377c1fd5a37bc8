#include <fairstream/csv/feature_remarks.hpp>

#include <cmath>

#include <fairstream/csv/numbers.hpp>

namespace fairstream::csv {

FeatureRemarks::FeatureRemarks(const std::vector<std::string>& names, const std::vector<FeatureColumn>& kinds,
                               Doubtful doubtful)
    : doubtful_(doubtful) {
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
    if (doubtful_ == Doubtful::none || of.kind != Kind::number) return;
    const std::string_view cell = reader.trimmed_cell(column);
    if (is_doubtful(DecimalMark::point)) of.with_point.add(cell);
    if (is_doubtful(DecimalMark::comma)) of.with_comma.add(cell);
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

bool FeatureRemarks::is_doubtful(DecimalMark mark) const noexcept {
    const Doubtful of_thousands =
        mark == DecimalMark::point ? Doubtful::points_of_thousands : Doubtful::commas_of_thousands;
    return doubtful_ == Doubtful::decimal_marks || doubtful_ == of_thousands;
}

void FeatureRemarks::add_to(Remarks& remarks) const {
    for (const Feature& of : of_) {
        if (of.unlisted.cells > 0) remarks.unlisted.push_back(of.unlisted);
        if (of.missing > 0) remarks.missing.push_back({of.name, of.missing});
        if (const std::uint64_t cells = of.stand_ins.count(); cells > 0)
            remarks.stand_ins.push_back({of.name, of.stand_ins.first(), cells});
        for (const NumbersWithMark* numbers : {&of.with_point, &of.with_comma})
            if (numbers->probably_separate_thousands())
                remarks.like_thousands.push_back(
                    {of.name, numbers->first(), numbers->mark(), doubtful_ != Doubtful::decimal_marks});
        if (of.resolution.is_coarse()) remarks.coarse.push_back({of.name, of.resolution.lost(), of.resolution.last()});
    }
}

}  // namespace fairstream::csv
