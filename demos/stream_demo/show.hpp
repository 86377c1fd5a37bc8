#pragma once
/// The output of the demo, 80 columns wide: rows of figures; on a terminal, a last row that is redrawn.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "live.hpp"
#include "outcome.hpp"
#include "stream.hpp"

namespace demo {

/// Prints the output; throws when stdout is closed.
class Show {
public:
    explicit Show(const Stream& stream);

    void heading(pid_t engine, pid_t sender);
    void row(const Row& row);
    /// Prints, on a terminal, a row that the next output replaces.
    void moving_row(const Row& row);
    /// Prints the outcomes; throws when the replay did not give the live results.
    void outcomes(const std::array<Outcome, 2>& outcomes);

private:
    void print(const std::string& text);
    [[nodiscard]] std::string painted(const char* colour, const std::string& text) const;
    [[nodiscard]] std::string balance_cell(double balance) const;
    [[nodiscard]] std::string cells(const Row& row) const;

    const Stream& stream_;
    bool terminal_;
    bool colours_;
    bool moving_ = false;
};

}  // namespace demo
