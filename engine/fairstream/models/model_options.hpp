#pragma once
/// The options of a model of any kind, as one value.

#include <any>
#include <string>
#include <string_view>
#include <utility>

namespace fairstream {

class ModelKind;

/// Holds a model's `Options`, and knows their kind of model by the `kind_of` beside them. `safairkm::Options` and the
/// others convert to it; `options.hpp` reads and sets them by name.
class ModelOptions {
public:
    template <class Options>
    requires requires(const Options& options) { kind_of(options); }
    // NOLINTNEXTLINE(google-explicit-constructor): options of one model convert to options of any on purpose.
    ModelOptions(Options options) : kind_(&kind_of(options)), value_(std::move(options)) {}

    [[nodiscard]] const ModelKind& kind() const noexcept { return *kind_; }
    /// Returns the options of this type; null if they are of another type.
    template <class Options> [[nodiscard]] const Options* get_if() const noexcept {
        return std::any_cast<Options>(&value_);
    }
    template <class Options> [[nodiscard]] Options* get_if() noexcept { return std::any_cast<Options>(&value_); }
    /// Returns the options of this type; throws `std::bad_any_cast` if they are of another type.
    template <class Options> [[nodiscard]] const Options& get() const { return std::any_cast<const Options&>(value_); }
    template <class Options> [[nodiscard]] Options& get() { return std::any_cast<Options&>(value_); }

    [[nodiscard]] friend bool operator==(const ModelOptions& a, const ModelOptions& b) { return a.equals(b); }

private:
    [[nodiscard]] bool equals(const ModelOptions& other) const;

    const ModelKind* kind_;
    std::any value_;
};

}  // namespace fairstream
