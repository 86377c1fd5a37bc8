#include <fairstream/generate/loan_decisions.hpp>

#include <fairstream/generate/detail/integer_draws.hpp>

namespace fairstream::generate {
namespace {

constexpr std::int64_t merit_unit = 1024;  // stands for 1 in features

/// The lender's weights of the features: income, debt, age, employment years, amount, credit history.
constexpr std::array<std::int64_t, LoanApplicants::feature_names.size()> weights = {5, -2, 0, 2, -2, 4};
constexpr std::int64_t bonus_of_men = 5 * merit_unit;
constexpr std::int64_t grant_threshold = 8 * merit_unit;
constexpr std::int64_t lender_noise = 3 * merit_unit;  // deviation of the lender's noise

}  // namespace

// The lender's noise uses a separate random stream, so that the applicants equal those of `LoanApplicants`.
LoanDecisions::LoanDecisions(std::uint64_t seed) : applicants_(seed), random_(~seed) {}

StreamFormat LoanDecisions::format() {
    StreamFormat format = LoanApplicants::format();
    format.has_targets = true;
    return format;
}

void LoanDecisions::next(std::size_t count, PointColumns& out) {
    constexpr std::size_t d = weights.size(), attributes = 2;
    applicants_.next(count, out);
    for (std::size_t i = 0; i < count; ++i) {
        const bool male = out.groups[i * attributes] == 1;
        std::int64_t merit = normal(random_, lender_noise) + (male ? bonus_of_men : 0);
        for (std::size_t j = 0; j < d; ++j)
            merit += weights[j] * static_cast<std::int64_t>(out.features[i * d + j] * static_cast<float>(merit_unit));
        out.targets.push_back(merit > grant_threshold ? 1.0F : -1.0F);
    }
}

}  // namespace fairstream::generate
