#pragma once
/// What is noticed about the features of a file while its points are read.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fairstream/csv/reader.hpp>
#include <fairstream/csv/remarks.hpp>
#include <fairstream/csv/resolution.hpp>
#include <fairstream/csv/stand_ins.hpp>
#include <fairstream/data/point_batch.hpp>

namespace fairstream::csv {

class FeatureRemarks {
public:
    /// What points in numbers are read as, and may not be.
    enum class Points : std::uint8_t { are_known, of_decimals, of_thousands };
    /// `kinds` as in `Columns::described`.
    FeatureRemarks(std::vector<std::string> names, const std::vector<FeatureColumn>& kinds, Points points);

    /// Notes a value of feature i, which is in this column of the current row.
    void add(std::size_t i, const Reader& reader, std::size_t column, double value);
    void add_missing(std::size_t i) { ++of_[i].missing; }
    /// Notes a cell that is no level.
    void add_unlisted(std::size_t i, std::string_view cell) { of_[i].unlisted.add(cell); }

    void add_to(Remarks& remarks) const;

private:
    enum class Kind : std::uint8_t { number, date, category };
    /// Numbers with a decimal point, those of them whose point may separate thousands, and the first one.
    struct DecimalPoints {
        std::uint64_t all = 0, like_thousands = 0;
        std::string first = {};
        void add(std::string_view cell);
    };
    struct Feature {
        std::string name;
        Kind kind = Kind::number;
        std::uint64_t missing = 0;
        UnlistedCells unlisted = {};
        DecimalPoints points = {};
        Resolution resolution = {};
        StandIns stand_ins = {};
    };

    Points points_;
    std::vector<Feature> of_;
};

}  // namespace fairstream::csv
