#include <fairstream/numeric/change_detector.hpp>

#include <algorithm>
#include <cmath>

namespace fairstream {

void ChangeDetector::Bucket::join(const Bucket& other) {
    const double both = mass + other.mass;
    if (!(other.mass > 0)) return;
    const double distance = other.mean - mean;
    scatter += other.scatter + distance * distance * mass / both * other.mass;
    mean += distance * other.mass / both;
    mass = both;
}

void ChangeDetector::set(std::size_t i, const Bucket& bucket) {
    masses_[i] = bucket.mass, means_[i] = bucket.mean, scatters_[i] = bucket.scatter;
}

void ChangeDetector::push(std::size_t level, const Bucket& bucket) {
    const std::size_t first = level * per_level;
    if (counts_[level] == per_level) {
        // Merges the two oldest buckets into one of the next level; the oldest buckets of the last level are dropped.
        Bucket joined = at(first + per_level - 1);
        joined.join(at(first + per_level - 2));
        counts_[level] = static_cast<std::uint8_t>(per_level - 2);
        if (level + 1 < levels) push(level + 1, joined);
        set(first + per_level - 1, {});
        set(first + per_level - 2, {});
    }
    for (std::size_t i = counts_[level]; i > 0; --i) set(first + i, at(first + i - 1));
    set(first, bucket);
    ++counts_[level];
}

void ChangeDetector::add(double value, double weight) {
    const bool first = mass() == 0;
    least_ = first ? value : std::min(least_, value);
    most_ = first ? value : std::max(most_, value);
    push(0, {weight, value, 0});
}

double ChangeDetector::mass() const noexcept {
    double sum = 0;
    for (const double mass : masses_) sum += mass;
    return sum;
}

std::optional<double> ChangeDetector::changed(double chance) const {
    Bucket before;
    for (std::size_t i = 0; i < buckets; ++i) before.join(at(i));
    const double all = before.mass;
    if (all < 2) return std::nullopt;
    const double variance = before.scatter / all, range = most_ - least_;
    const double l = std::log(2 * std::max(1.0, std::log(all)) / chance);
    // Goes from the newest bucket to the oldest. The older parts are summed from the other side, so that nothing is
    // subtracted.
    std::array<Bucket, buckets + 1> older;
    for (std::size_t i = buckets; i > 0; --i) {
        older[i - 1] = older[i];
        older[i - 1].join(at(i - 1));
    }
    Bucket since;
    std::optional<double> found;
    double most_beyond = 0;
    for (std::size_t i = 0; i + 1 < buckets; ++i) {
        if (masses_[i] == 0) continue;
        since.join(at(i));
        if (older[i + 1].mass == 0) break;
        const double m = 1 / (1 / since.mass + 1 / older[i + 1].mass);
        const double beyond =
            std::abs(since.mean - older[i + 1].mean) - (std::sqrt(2 * variance * l / m) + 2 * range * l / (3 * m));
        if (beyond > most_beyond) most_beyond = beyond, found = since.mass;
    }
    return found;
}

bool ChangeDetector::is_sound() const noexcept {
    const auto all_in = [](const auto& values, double low, double high) {
        return std::ranges::all_of(values, [&](double x) { return x >= low && x <= high; });
    };
    return std::ranges::all_of(counts_, [](std::uint8_t count) { return count <= per_level; }) &&
           all_in(masses_, 0, 1e30) && all_in(means_, -1e30, 1e30) && all_in(scatters_, 0, 1e80) && least_ >= -1e30 &&
           most_ <= 1e30 && least_ <= most_;
}

}  // namespace fairstream
