#pragma once
/// Estimates of the work that an event asks for, made before it is done.

#include <initializer_list>
#include <string_view>

namespace fairstream {

/// Work in multiply-adds of features: the distance of a point from a centre is one for each feature. A core does some
/// billions of them a second. The estimate is meant to be no less than what is done, in the order of magnitude.
struct WorkEstimate {
    double multiply_adds = 0;
    std::string_view lower;  ///< the options, or what else of the event, that the largest part of it grows with

    friend WorkEstimate operator*(double times, WorkEstimate work) {
        work.multiply_adds *= times;
        return work;
    }
};

/// Costs, in multiply-adds beside its distances, of looking at a single point and of a point in a pass over all points.
inline constexpr double look_at_point = 500;
inline constexpr double point_of_pass = 100;

/// Returns the sum, with the `lower` of its largest part.
[[nodiscard]] inline WorkEstimate sum_of(std::initializer_list<WorkEstimate> parts) {
    WorkEstimate sum;
    double largest = -1;
    for (const WorkEstimate& part : parts) {
        sum.multiply_adds += part.multiply_adds;
        if (part.multiply_adds <= largest) continue;
        largest = part.multiply_adds;
        sum.lower = part.lower;
    }
    return sum;
}

}  // namespace fairstream
