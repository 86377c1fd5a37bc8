#include <fairstream/generate/generator.hpp>

#include <algorithm>
#include <array>

namespace fairstream::generate {
namespace {

AnyGenerator make_loans(std::uint64_t seed, std::uint64_t /*points*/) {
    return LoanApplicants(seed);
}
AnyGenerator make_loan_decisions(std::uint64_t seed, std::uint64_t /*points*/) {
    return LoanDecisions(seed);
}
template <Synthetic set> AnyGenerator make_synthetic(std::uint64_t seed, std::uint64_t points) {
    return SyntheticPoints(set, seed, points);
}
AnyGenerator make_elliptical(std::uint64_t seed, std::uint64_t points) {
    return EllipticalPoints(seed, points);
}

constexpr std::uint64_t published = SyntheticPoints::published_count;
constexpr std::array known_generators = {
    GeneratorKind{"loans", "loan applicants in segments that differ by sex and age, and that drift", 100'000,
                  make_loans},
    GeneratorKind{"loan_decisions", "loans with a target: decisions of a lender who prefers men", 20'000,
                  make_loan_decisions},
    GeneratorKind{"syn_equal_ds1", "two clusters in the plane, one of each group; groups 1:1", published,
                  make_synthetic<Synthetic::equal_ds1>},
    GeneratorKind{"syn_unequal_ds1", "two clusters in the plane, one of each group; groups 3:1", published,
                  make_synthetic<Synthetic::unequal_ds1>},
    GeneratorKind{"syn_equal_ds2", "four clusters in a rectangle, a group at each end; groups 1:1", published,
                  make_synthetic<Synthetic::equal_ds2>},
    GeneratorKind{"syn_unequal_ds2", "four clusters in a rectangle, a group at each end; groups 3:1", published,
                  make_synthetic<Synthetic::unequal_ds2>},
    GeneratorKind{"elliptical", "two long ellipses side by side, a group at each end; groups 1:1",
                  EllipticalPoints::usual_count, make_elliptical},
};

}  // namespace

std::span<const GeneratorKind> generator_kinds() noexcept {
    return known_generators;
}

std::string generator_names() {
    std::string names;
    for (const GeneratorKind& kind : known_generators) names += (names.empty() ? "" : ", ") + std::string(kind.name);
    return names;
}

const GeneratorKind& generator_kind(std::string_view name) {
    const auto* const found = std::ranges::find(known_generators, name, &GeneratorKind::name);
    if (found != known_generators.end()) return *found;
    throw InvalidInput(Reason::bad_option,
                       "there is no generator '" + std::string(name) + "'; known: " + generator_names());
}

Generator::Generator(std::string_view name, std::uint64_t seed, std::optional<std::uint64_t> points)
    : total_(points.value_or(generator_kind(name).points)),
      left_(total_),
      source_(generator_kind(name).make(seed, total_)) {
    if (total_ == 0) throw InvalidInput(Reason::bad_option, "points = 0 must be at least 1");
}

StreamFormat Generator::format() const {
    return std::visit([](const auto& source) { return source.format(); }, source_);
}

std::vector<std::string> Generator::feature_names() const {
    return std::visit(
        [](const auto& source) {
            return std::vector<std::string>(source.feature_names.begin(), source.feature_names.end());
        },
        source_);
}

std::size_t Generator::next(std::size_t count, PointColumns& out) {
    const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(count, left_));
    std::visit([&](auto& source) { source.next(taken, out); }, source_);
    left_ -= taken;
    return taken;
}

}  // namespace fairstream::generate
