#pragma once
/// All generators of synthetic points by name, as finite streams.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <fairstream/generate/elliptical.hpp>
#include <fairstream/generate/loan_decisions.hpp>
#include <fairstream/generate/loans.hpp>
#include <fairstream/generate/synthetic.hpp>

namespace fairstream::generate {

using AnyGenerator = std::variant<LoanApplicants, LoanDecisions, SyntheticPoints, EllipticalPoints>;

struct GeneratorKind {
    std::string_view name;
    std::string_view help;  ///< description of the points
    std::uint64_t points;   ///< default number of points
    AnyGenerator (*make)(std::uint64_t seed, std::uint64_t points);
};

/// Returns all kinds of generator.
[[nodiscard]] std::span<const GeneratorKind> generator_kinds() noexcept;
/// Returns the names of all kinds, "a, b, c".
[[nodiscard]] std::string generator_names();
/// Returns the kind `name`; throws `InvalidInput` (bad_option) naming the existing kinds.
[[nodiscard]] const GeneratorKind& generator_kind(std::string_view name);

/// The same name, seed and number of points give the same points on every platform, however they are fetched.
class Generator {
public:
    /// `points` is at least 1 and, for all sets but loans, at most 2^40; nothing: the default of the kind. Throws
    /// `InvalidInput` (bad_option).
    Generator(std::string_view name, std::uint64_t seed, std::optional<std::uint64_t> points = {});

    [[nodiscard]] StreamFormat format() const;
    [[nodiscard]] std::vector<std::string> feature_names() const;  ///< d
    [[nodiscard]] std::uint64_t total() const noexcept { return total_; }
    [[nodiscard]] std::uint64_t left() const noexcept { return left_; }

    /// Puts the next `count` points into `out`, fewer at the end, and returns their number; ids are 0, 1, 2, ...
    std::size_t next(std::size_t count, PointColumns& out);

private:
    std::uint64_t total_, left_;
    AnyGenerator source_;
};

}  // namespace fairstream::generate
