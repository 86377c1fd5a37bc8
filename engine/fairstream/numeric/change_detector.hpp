#pragma once
/// Detects when the mean of a sequence has changed by more than sampling explains.
/// A. Bifet, R. Gavalda, "Learning from time-changing data with adaptive windowing", SIAM Data Mining 2007: ADWIN2.

#include <array>
#include <cstdint>
#include <optional>

namespace fairstream {

/// Keeps the newest values of a sequence in buckets, whose sizes grow in powers of 2 with age, and compares the mean
/// before each bucket boundary with the mean after it. Memory is constant; beyond some five million values the oldest
/// are dropped. A value of weight 2 counts as two values.
class ChangeDetector {
public:
    void add(double value, double weight = 1);
    /// Returns the weight of the values since the change, if the means of two parts differ by more than
    ///     sqrt(2 v l / m) + 2 r l / (3 m),   l = ln(2 ln(n) / chance),
    /// with v the variance and r the range of the n values, and m the harmonic sum of the parts' weights. By
    /// Bernstein's inequality, which needs no normal distribution, independent values of one distribution exceed this
    /// with at most probability `chance`. O(100) steps.
    [[nodiscard]] std::optional<double> changed(double chance) const;
    [[nodiscard]] double mass() const noexcept;
    void clear() { *this = {}; }

    bool operator==(const ChangeDetector&) const = default;
    template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
        archive(1, self.counts_);
        archive(2, self.masses_);
        archive(3, self.means_);
        archive(4, self.scatters_);
        archive(5, self.least_);
        archive(6, self.most_);
    }
    /// Returns whether loaded fields are possible: finite, with weights and squared deviations of at least 0.
    [[nodiscard]] bool is_sound() const noexcept;

private:
    static constexpr std::size_t levels = 20, per_level = 5, buckets = levels * per_level;

    // Values of a bucket: their weight, mean, and sum of squared deviations.
    struct Bucket {
        double mass = 0, mean = 0, scatter = 0;
        void join(const Bucket& other);
    };
    [[nodiscard]] Bucket at(std::size_t i) const { return {masses_[i], means_[i], scatters_[i]}; }
    void set(std::size_t i, const Bucket& bucket);
    void push(std::size_t level, const Bucket& bucket);

    // Level l has buckets of 2^l values, newest first: bucket b of level l is entry l * per_level + b.
    std::array<std::uint8_t, levels> counts_{};
    std::array<double, buckets> masses_{}, means_{}, scatters_{};
    double least_ = 0, most_ = 0;  // range of the values
};

}  // namespace fairstream
