#pragma once
/// Remarks on a file's features, collected while its points are read.

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fairstream/files/columns/remarks.hpp>

namespace fairstream::files {

/// How well float32, the type of features, resolves a column of numbers. Compares the values of consecutive rows: how
/// many pairs differ, and how many of these pairs are equal as float32.
class Resolution {
public:
    void add(double value) noexcept {
        constexpr double limit = std::numeric_limits<float>::max();
        if (!(std::abs(value) <= limit)) return;  // missing, or refused elsewhere
        if (rows_++ > 0 && value != last_) {
            ++differ_;
            equal_ += static_cast<float>(value) == static_cast<float>(last_);
        }
        last_ = value;
    }

    /// Returns the share of the pairs of different values in consecutive rows that become equal as float32.
    [[nodiscard]] double lost() const noexcept {
        return differ_ == 0 ? 0 : static_cast<double>(equal_) / static_cast<double>(differ_);
    }
    /// Returns whether the loss deserves a warning. If rows are in random order, a loss of 1/20 means that adjacent
    /// float32 numbers lie about a sixth of the standard deviation apart. In sorted rows, whose values are
    /// closer to each other, a smaller distance gives the same loss.
    [[nodiscard]] bool is_coarse() const noexcept {
        constexpr std::uint64_t least_pairs = 10;
        return differ_ >= least_pairs && lost() > 0.05;
    }
    [[nodiscard]] double last() const noexcept { return last_; }

private:
    std::uint64_t rows_ = 0, differ_ = 0, equal_ = 0;
    double last_ = 0;
};

class FeatureRemarks {
public:
    explicit FeatureRemarks(const std::vector<std::string>& names) {
        for (const std::string& name : names) features_.push_back({.name = name, .unlisted = {.column = name}});
    }

    /// Notes a value of feature i.
    void add(std::size_t i, double value) { features_[i].resolution.add(value); }
    void add_missing(std::size_t i) { missing_of_row_.push_back(i); }
    /// Notes a cell that is no level of feature i.
    void add_unlisted(std::size_t i, std::string_view cell) { unlisted_of_row_.emplace_back(i, cell); }
    /// `begin_row` drops the missing and unlisted cells of a row that is left out; `count_row` counts those of a point.
    void begin_row() {
        missing_of_row_.clear();
        unlisted_of_row_.clear();
    }
    void count_row() {
        for (const std::size_t i : missing_of_row_) ++features_[i].missing;
        for (const auto& [i, cell] : unlisted_of_row_) features_[i].unlisted.add(cell);
        begin_row();
    }

    void add_to(Remarks& remarks) const {
        for (const Feature& feature : features_) {
            if (feature.unlisted.cells > 0) remarks.unlisted.push_back(feature.unlisted);
            if (feature.missing > 0) remarks.missing.push_back({feature.name, feature.missing});
            if (feature.resolution.is_coarse())
                remarks.coarse.push_back({feature.name, feature.resolution.lost(), feature.resolution.last()});
        }
    }

private:
    struct Feature {
        std::string name;
        std::uint64_t missing = 0;
        UnlistedCells unlisted = {};
        Resolution resolution = {};
    };

    std::vector<Feature> features_;
    std::vector<std::size_t> missing_of_row_;
    std::vector<std::pair<std::size_t, std::string>> unlisted_of_row_;
};

}  // namespace fairstream::files
