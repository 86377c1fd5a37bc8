#pragma once
/// Combinations of the groups of the balanced attributes.

#include <cstddef>
#include <span>
#include <vector>

#include <fairstream/data/point_batch.hpp>
#include <fairstream/fair_kmeans/options.hpp>
#include <fairstream/fairness/demand.hpp>

namespace fairstream::safairkm {

/// A cell holds the points with equal groups in all balanced attributes. With one attribute the cells are its groups;
/// without any there is one cell.
class Cells {
public:
    Cells(const Options& options, const StreamFormat& format) {
        if (format.attributes.empty()) return;
        for (const int attribute : options.targets.attribute) {
            const std::size_t groups = format.attributes[static_cast<std::size_t>(attribute)].groups.size();
            parts_.push_back({static_cast<std::uint32_t>(attribute), groups, count_});
            count_ *= groups;
        }
    }

    [[nodiscard]] std::size_t count() const noexcept { return count_; }
    /// Returns the cell of a point; `row` has its groups, one per attribute of the stream.
    [[nodiscard]] GroupId of(const GroupId* row) const noexcept {
        if (parts_.size() == 1) return row[parts_[0].attribute];
        std::size_t cell = 0;
        for (const Part& part : parts_) cell += row[part.attribute] * part.stride;
        return static_cast<GroupId>(cell);
    }

    /// Returns the cell of points; `groups` has their groups, one per balanced attribute.
    [[nodiscard]] std::size_t of_balanced(std::span<const GroupId> groups) const noexcept {
        std::size_t cell = 0;
        for (std::size_t a = 0; a < parts_.size(); ++a) cell += groups[a] * parts_[a].stride;
        return cell;
    }

    /// Returns the number of balanced attributes, which are in the order of the options.
    [[nodiscard]] std::size_t attributes() const noexcept { return parts_.size(); }
    /// Returns the index of the a-th balanced attribute in the stream's format.
    [[nodiscard]] std::uint32_t attribute(std::size_t a) const noexcept { return parts_[a].attribute; }
    /// Returns the indices of all balanced attributes in the stream's format.
    [[nodiscard]] std::vector<std::uint32_t> balanced() const {
        std::vector<std::uint32_t> indices;
        for (const Part& part : parts_) indices.push_back(part.attribute);
        return indices;
    }
    /// Returns the position, among the balanced attributes, of the attribute with this index in the stream's format.
    [[nodiscard]] std::size_t place(std::uint32_t attribute) const noexcept {
        std::size_t a = 0;
        while (parts_[a].attribute != attribute) ++a;
        return a;
    }
    /// Returns the group of a cell in the a-th balanced attribute.
    [[nodiscard]] GroupId group(std::size_t cell, std::size_t a) const noexcept {
        if (parts_.size() == 1) return static_cast<GroupId>(cell);
        return static_cast<GroupId>(cell / parts_[a].stride % parts_[a].groups);
    }

    /// Returns the group of a cell in the a-th balanced attribute; `no_group` for the cell `no_group`.
    [[nodiscard]] int group_or_none(int cell, std::size_t a) const noexcept {
        return cell == no_group ? no_group : group(static_cast<std::size_t>(cell), a);
    }

private:
    struct Part {
        std::uint32_t attribute;
        std::size_t groups, stride;
    };
    std::vector<Part> parts_;
    std::size_t count_ = 1;
};

}  // namespace fairstream::safairkm
