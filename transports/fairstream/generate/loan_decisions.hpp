#pragma once
/// The loan applicants with a target: the decisions of a lender who favours men. Scores learned from the decisions
/// repeat this bias; a fair scorer does not.

#include <fairstream/generate/loans.hpp>

namespace fairstream::generate {

/// Features, groups and seeds are those of `LoanApplicants`; all arithmetic is in integers here, too.
class LoanDecisions {
public:
    static constexpr auto feature_names = LoanApplicants::feature_names;

    explicit LoanDecisions(std::uint64_t seed);

    /// Returns the format of `LoanApplicants` with targets: 1 for a granted loan, about three in ten, otherwise -1.
    [[nodiscard]] static StreamFormat format();
    void next(std::size_t count, PointColumns& out);

private:
    LoanApplicants applicants_;
    std::mt19937_64 random_;
};

}  // namespace fairstream::generate
