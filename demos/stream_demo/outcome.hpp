#pragma once
/// The results of the stream: a replay of the recording with each model alone.

#include <array>
#include <filesystem>
#include <functional>
#include <vector>

#include "live.hpp"
#include "stream.hpp"

namespace demo {

/// Results of one model over the whole stream.
struct Outcome {
    double cost = 0;               ///< mean over the samples
    double lowest_balance = 0;     ///< smallest of the samples' minimum balances
    double balance = 0;            ///< minimum balance at the end
    double average_balance = 0;    ///< mean over the samples of the mean over the clusters
    double churn = 0;              ///< mean over the events
    double points_per_second = 0;  ///< in `Engine::ingest`, with only this model
    bool same_figures = false;     ///< the replay gave the figures shown live, bit for bit
    bool same_labels = false;      ///< the final labels equal the subscriber's
};

/// Replays the recording once for each model. `rows` are the figures shown live; `live` holds the subscribers' labels.
/// An exception from `after_event` ends the replay.
[[nodiscard]] std::array<Outcome, 2> replay_each(const Stream& stream, const std::filesystem::path& recording,
                                                 const std::vector<Row>& rows, const Live& live,
                                                 const std::function<void()>& after_event);

}  // namespace demo
