#pragma once
/// Remarks on the features of a file, noticed while its points are read.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fairstream/csv/numbers_with_mark.hpp>
#include <fairstream/csv/reader.hpp>
#include <fairstream/csv/remarks.hpp>
#include <fairstream/csv/resolution.hpp>
#include <fairstream/csv/stand_ins.hpp>
#include <fairstream/data/point_batch.hpp>

namespace fairstream::csv {

class FeatureRemarks {
public:
    /// Marks in numbers that may be something else than they are read as.
    enum class Doubtful : std::uint8_t { none, decimal_marks, points_of_thousands, commas_of_thousands };
    /// `kinds` as in `Columns::described`.
    FeatureRemarks(const std::vector<std::string>& names, const std::vector<FeatureColumn>& kinds, Doubtful doubtful);

    /// Notes a value of feature i, which is in this column of the current row.
    void add(std::size_t i, const Reader& reader, std::size_t column, double value);
    void add_missing(std::size_t i) { missing_of_row_.push_back(i); }
    /// Notes a cell that is no level.
    void add_unlisted(std::size_t i, std::string_view cell) { unlisted_of_row_.emplace_back(i, cell); }
    /// Forgets the missing and unlisted cells of a row that is left out, or counts those of one that is a point.
    void begin_row();
    void count_row();

    void add_to(Remarks& remarks) const;

private:
    enum class Kind : std::uint8_t { number, date, category };
    struct Feature {
        std::string name;
        Kind kind = Kind::number;
        std::uint64_t missing = 0;
        UnlistedCells unlisted = {};
        NumbersWithMark with_point{DecimalMark::point}, with_comma{DecimalMark::comma};
        Resolution resolution = {};
        StandIns stand_ins = {};
    };

    /// Returns whether numbers with this mark may be others than those that are read.
    [[nodiscard]] bool is_doubtful(DecimalMark mark) const noexcept;

    Doubtful doubtful_;
    std::vector<Feature> of_;
    std::vector<std::size_t> missing_of_row_;
    std::vector<std::pair<std::size_t, std::string>> unlisted_of_row_;
};

}  // namespace fairstream::csv
