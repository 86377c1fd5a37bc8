#pragma once
/// The stream of the demo, and the options of its engine.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fairstream/engine.hpp>
#include <fairstream/files/reader_settings.hpp>

namespace demo {

inline constexpr const char* plain = "plain";   ///< name of the model without a target
inline constexpr const char* fair = "fair";     ///< name of the model with a balance target
inline constexpr std::size_t stream_rows = 10;  ///< rows of figures shown

/// Options of the command line.
struct StreamOptions {
    std::filesystem::path data;        ///< file of points, "-": standard input; empty: generated loan applicants
    std::vector<std::string> reading;  ///< options of `fairstream fit` for it; the first group column is balanced
    std::uint64_t points = 200'000;    ///< generated points
    std::uint64_t seed = 1;
    int clusters = 8;
    std::optional<double> balance;     ///< target; nothing: about 0.8 times the balance of the stream
    fairstream::Slot window = 20'000;  ///< most points retained
    std::optional<double> rate;        ///< points per second, 0: no limit; nothing: chosen for a stream of some seconds
};

struct Stream {
    std::string title;
    std::vector<std::string> features;  ///< d names
    fairstream::EngineOptions engine;   ///< models `plain` and `fair`
    fairstream::files::ReaderSettings reader;
    double balance = 0;  ///< of all points: smallest over largest group of the first attribute
    double target = 0;
    std::uint64_t points = 0;
    std::uint64_t batch = 0;          ///< points per event
    std::vector<std::string> sender;  ///< arguments of `fairstream send`, except the endpoint
    bool sends_input = false;         ///< whether the sender reads the demo's standard input

    [[nodiscard]] std::uint64_t events() const { return (points + batch - 1) / batch; }
    /// Returns the digits behind the point that balances need: more if the groups are very uneven.
    [[nodiscard]] int digits() const { return balance < 0.1 ? 3 : 2; }
    /// Returns the number of points in the first `event` events.
    [[nodiscard]] std::uint64_t points_at(fairstream::Sequence event) const { return std::min(event * batch, points); }
};

/// Throws `InvalidInput`.
[[nodiscard]] Stream make_stream(const StreamOptions& options);

}  // namespace demo
