#pragma once
/// Options that a model has for each attribute it balances.

#include <cstddef>
#include <initializer_list>
#include <vector>

#include <fairstream/types.hpp>

namespace fairstream {

/// One value, or several in the order of the attributes; never none. As text "0.4" or "0.4,0.1".
template <class T> class PerAttribute {
public:
    PerAttribute(T value) : values_{value} {}
    /// Throws `InvalidInput` (bad_option) for an empty list.
    PerAttribute(std::initializer_list<T> values) : PerAttribute(std::vector<T>(values)) {}
    explicit PerAttribute(std::vector<T> values) : values_(std::move(values)) {
        if (values_.empty()) throw InvalidInput(Reason::bad_option, "an option by attribute needs at least one value");
    }

    [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }
    [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return values_[i]; }
    /// The i-th value; a single one holds for all.
    [[nodiscard]] const T& of(std::size_t i) const noexcept { return values_.size() == 1 ? values_[0] : values_[i]; }
    [[nodiscard]] auto begin() const noexcept { return values_.begin(); }
    [[nodiscard]] auto end() const noexcept { return values_.end(); }
    bool operator==(const PerAttribute&) const = default;

private:
    std::vector<T> values_;
};

}  // namespace fairstream
