#pragma once
/// What the demo shows: a row of figures now and then, and on a terminal a last one that moves. 80 columns.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "live.hpp"
#include "outcome.hpp"
#include "stream.hpp"

namespace demo {

/// Throws when what it prints reaches nobody any more.
class Show {
public:
    explicit Show(const Stream& stream);

    void heading(pid_t engine, pid_t sender);
    void row(const Row& row);
    /// A row that the next one takes the place of, where somebody watches.
    void moving_row(const Row& row);
    /// Throws when the recording did not give the same again.
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
