#pragma once
/// Options with one value or several: per balanced attribute, per operating point.

#include <cstddef>
#include <initializer_list>
#include <utility>
#include <vector>

#include <fairstream/base/types.hpp>

namespace fairstream {

/// One value for all, or one value each; never empty. As text "0.4" or "0.4,0.1".
template <class T> class OneOrMore {
public:
    // NOLINTNEXTLINE(google-explicit-constructor): a single value converts to a list on purpose.
    OneOrMore(T value) : values_{value} {}
    /// Throws `InvalidInput` (bad_option) for an empty list.
    OneOrMore(std::initializer_list<T> values) : OneOrMore(std::vector<T>(values)) {}
    explicit OneOrMore(std::vector<T> values) : values_(std::move(values)) {
        if (values_.empty())
            throw InvalidInput(Reason::bad_option, "list of values: is empty; must have at least one value");
    }

    [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }
    [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return values_[i]; }
    /// Returns the i-th value, or the only one.
    [[nodiscard]] const T& of(std::size_t i) const noexcept { return values_.size() == 1 ? values_[0] : values_[i]; }
    [[nodiscard]] auto begin() const noexcept { return values_.begin(); }
    [[nodiscard]] auto end() const noexcept { return values_.end(); }
    bool operator==(const OneOrMore&) const = default;

private:
    std::vector<T> values_;
};

}  // namespace fairstream
