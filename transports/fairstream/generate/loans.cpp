#include <fairstream/generate/loans.hpp>

#include <string>

#include <fairstream/generate/detail/integer_draws.hpp>

namespace fairstream::generate {
namespace {

constexpr std::uint64_t longest_period = std::uint64_t{1} << 50;  // its product with `unit` still fits 64 bits
constexpr std::size_t feature_count = LoanApplicants::feature_names.size();
constexpr std::size_t age_feature = 2;
constexpr std::int64_t unit = 1024;  // stands for 1 in features, shares and the phase of the drift

/// Standard deviation of every feature within a segment.
constexpr std::int64_t deviation = 620;

/// Feature values of 30 and 55 years, rounded up. The age feature is (years - 42) / 12.
constexpr std::int64_t age_30 = -unit, age_55 = (13 * unit + 11) / 12;

/// Share and centre of a segment at one end of the drift. At each end, the shares of all segments sum to `unit`.
struct SegmentAt {
    std::int64_t share;
    std::array<std::int64_t, feature_count> centre;
};
struct Segment {
    std::int64_t male;  // share of men
    SegmentAt first, last;
};

// Features: income, debt, age, employment years, amount, credit history.
constexpr std::array<Segment, 7> segments = {{
    // first job
    {680, {160, {-1130, -610, -1380, -1230, -920, -1130}}, {130, {-1020, -410, -1330, -1180, -720, -1230}}},
    // young families
    {780, {200, {100, 1230, -310, 0, 1330, 200}}, {150, {310, 1740, -200, 100, 1840, 100}}},
    // executives
    {880, {110, {1950, 310, 410, 920, 1640, 1020}}, {130, {2460, 510, 310, 820, 2050, 1020}}},
    // part-time carers
    {290, {190, {-820, 200, 100, -720, -610, 410}}, {170, {-410, 100, 200, -410, -510, 610}}},
    // trades, self-employed
    {930, {160, {610, 920, 0, 310, 410, -920}}, {100, {200, 1330, 100, 410, 720, -1330}}},
    // pensioners
    {640, {204, {-410, -1020, 1840, 1540, -1020, 1330}}, {184, {-720, -720, 1740, 1640, -820, 1130}}},
    // platform workers, absent at the start
    {800, {0, {-200, 610, -820, -1330, 200, -610}}, {160, {-100, 1130, -720, -1330, 510, -920}}},
}};

constexpr bool shares_sum_to_one() {
    std::int64_t first = 0, last = 0;
    for (const Segment& segment : segments) first += segment.first.share, last += segment.last.share;
    return first == unit && last == unit;
}
static_assert(shares_sum_to_one());

/// Interpolates from `first` to `last` as `phase` goes from 0 to `unit`.
std::int64_t between(std::int64_t first, std::int64_t last, std::int64_t phase) {
    return first + (last - first) * phase / unit;
}

/// Draws a segment by the shares at `phase`. Interpolated shares are rounded; the last segment takes the difference.
const Segment& draw_segment(std::mt19937_64& random, std::int64_t phase) {
    std::int64_t left = uniform(random, unit);
    for (const Segment& segment : segments) {
        left -= between(segment.first.share, segment.last.share, phase);
        if (left < 0) return segment;
    }
    return segments.back();
}

}  // namespace

LoanApplicants::LoanApplicants(std::uint64_t seed, std::uint64_t drift_period)
    : random_(seed), drift_period_(drift_period) {
    if (drift_period < 2 || drift_period > longest_period) {
        throw InvalidInput(Reason::bad_option, "drift_period = " + std::to_string(drift_period) + " must be 2 to 2^50");
    }
}

StreamFormat LoanApplicants::format() {
    return {feature_count, {{"sex", {"female", "male"}}, {"age_band", {"under_30", "30_to_54", "55_plus"}}}, false};
}

void LoanApplicants::next(std::size_t count, PointColumns& out) {
    out.clear();
    for (std::size_t i = 0; i < count; ++i) append_applicant(out);
}

void LoanApplicants::append_applicant(PointColumns& out) {
    const std::uint64_t position = count_ % drift_period_, half = drift_period_ / 2;
    const std::uint64_t distance = position <= half ? position : drift_period_ - position;
    const auto phase = static_cast<std::int64_t>(distance * static_cast<std::uint64_t>(unit) / half);

    const Segment& segment = draw_segment(random_, phase);
    std::int64_t age = 0;
    for (std::size_t i = 0; i < feature_count; ++i) {
        const std::int64_t value =
            between(segment.first.centre[i], segment.last.centre[i], phase) + normal(random_, deviation);
        if (i == age_feature) age = value;
        out.features.push_back(static_cast<float>(value) / static_cast<float>(unit));
    }
    out.groups.push_back(uniform(random_, unit) < segment.male ? 1 : 0);
    out.groups.push_back(age < age_30 ? 0 : age < age_55 ? 1 : 2);
    out.ids.push_back(count_++);
}

}  // namespace fairstream::generate
