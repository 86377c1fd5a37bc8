#pragma once
/// Estimates of the work of an event, made before it is done.

#include <initializer_list>
#include <string_view>

namespace fairstream {

/// Work in multiply-adds: the distance between a point and a centre counts one for each feature. A core does some
/// billions a second. The estimate is an upper bound in order of magnitude.
struct WorkEstimate {
    double multiply_adds = 0;
    std::string_view lower;  ///< options, or parts of the event, that make the largest part of the work smaller

    friend WorkEstimate operator*(double times, WorkEstimate work) {
        work.multiply_adds *= times;
        return work;
    }
};

/// Work besides distances, in multiply-adds: of a visit to a single point, and of each point in a pass over all points.
inline constexpr double work_of_visit = 500;
inline constexpr double work_of_pass_point = 100;

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
