#pragma once
/// A network as an option of a model, and its text.

#include <memory>
#include <string>
#include <string_view>

#include <fairstream/network/network.hpp>

namespace fairstream {

/// A network, or none. Copies share it. Its numbers are rounded to float32, in which `Evaluation` computes.
class NetworkOption {
public:
    NetworkOption() = default;
    /// Rounds the numbers to float32. Throws `InvalidInput` (bad_state) as `check` does.
    explicit NetworkOption(Network network);

    [[nodiscard]] bool has_value() const noexcept { return network_ != nullptr; }
    [[nodiscard]] const Network& operator*() const noexcept { return *network_; }
    [[nodiscard]] const Network* operator->() const noexcept { return network_.get(); }
    [[nodiscard]] friend bool operator==(const NetworkOption& a, const NetworkOption& b) {
        return a.network_ == b.network_ || (a.network_ && b.network_ && *a.network_ == *b.network_);
    }

private:
    std::shared_ptr<const Network> network_;
};

/// Valid texts, in words for people.
inline constexpr std::string_view network_option_range = "a network, from a file as @FILE, or none";

/// Returns "none", or the layers separated by blanks. A layer is its activation, outputs x inputs, the weights row by
/// row, and the bias: "relu 2x3 1,0,0.5,0,1,0 0,0". Numbers have the shortest form that reads back equal.
[[nodiscard]] std::string option_text(const NetworkOption& value);
/// Reads a text that `option_text` writes; returns false for any other text, and for a network that `check` refuses.
[[nodiscard]] bool read_option_text(std::string_view text, NetworkOption& value);

}  // namespace fairstream
