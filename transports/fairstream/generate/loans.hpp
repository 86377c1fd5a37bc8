#pragma once
/// A synthetic stream for which plain clustering is unfair: loan applicants whose natural segments differ in sex and
/// age, and drift. Plain k-means finds the segments, and so finds clusters that are nearly all of one sex.

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string_view>

#include <fairstream/data/point_batch.hpp>

namespace fairstream::generate {

/// The same seed gives the same points on every platform, however they are fetched: all arithmetic is in integers, and
/// every feature is a multiple of 1/1024. A value of 1 is about one standard deviation of the population.
class LoanApplicants {
public:
    static constexpr std::array<std::string_view, 6> feature_names = {"income",           "debt",   "age",
                                                                      "employment_years", "amount", "credit_history"};

    /// Over `drift_period` points, 2 to 2^50, the segments drift to their other end and back.
    explicit LoanApplicants(std::uint64_t seed, std::uint64_t drift_period = 200'000);

    /// Returns the format: six features; sex (female, male; about 1:2); and age band (under_30, 30_to_54, 55_plus),
    /// derived from the age.
    [[nodiscard]] static StreamFormat format();

    /// Puts the next `count` applicants into `out`; their ids are 0, 1, 2, ...
    void next(std::size_t count, PointColumns& out);

private:
    void append_applicant(PointColumns& out);

    std::mt19937_64 random_;  // the standard defines its output
    std::uint64_t drift_period_;
    std::uint64_t count_ = 0;
};

}  // namespace fairstream::generate
