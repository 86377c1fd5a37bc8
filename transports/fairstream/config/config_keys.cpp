#include <fairstream/config/config_keys.hpp>

#include <array>

namespace fairstream {
namespace {

constexpr auto keys = std::to_array<ConfigKey>({
    {"", "threads", "tasks that run at once; 0: one for each core"},
    {"", "event_work_limit", "estimated multiply-adds above which an event or option is refused"},
    {"", "step_work_limit",
     "limit of the counted multiply-adds of work that makes events wait; at the limit the best result so far is used"},
    {"[stream]", "dimensions", "features of a point"},
    {"[stream]", "targets", "whether points have a target value; \"later\": it may come afterwards, by id"},
    {"[stream]", "weights", "whether points may have weights"},
    {"[stream]", "ids", "whether ids are numbers or texts"},
    {"[stream]", "text_ids",
     "whether the engine numbers text ids (numbered), or producers hash them (hashed; only in recordings that began "
     "so)"},
    {"[stream]", "columns", "names of the features"},
    {"[[stream.attribute]]", "name", "name of the protected attribute"},
    {"[[stream.attribute]]", "groups", "names of its groups"},
    {"[[stream.attribute]]", "unknown", "name of the group for points of unknown group"},
    {"[window]", "capacity", "largest number of points retained"},
    {"[window]", "policy", "sliding: the newest points; reservoir: a uniform sample of all points so far"},
    {"[window]", "seed", "seed of the reservoir's draws"},
    {"[window]", "max_age", "age at which points leave the window"},
    {"[window]", "half_life", "age, or number of newer points, at which a point weighs half"},
    {"[prepare], [[prepare.column]]", "scale", "how columns are scaled: none, fixed, first:N, running, range, range:N"},
    {"[prepare], [[prepare.column]]", "mean", "number that a fixed scale subtracts"},
    {"[prepare], [[prepare.column]]", "deviation", "number that a fixed scale divides by"},
    {"[prepare], [[prepare.column]]", "range", "numbers that a fixed scale turns into 0 and 1"},
    {"[prepare], [[prepare.column]]", "log", "whether values become sign(x) ln(1 + |x|)"},
    {"[prepare], [[prepare.column]]", "clip", "bounds; values outside become the nearer bound"},
    {"[prepare], [[prepare.column]]", "missing",
     "how missing values are treated: refuse, mean, most_frequent, indicator"},
    {"[[prepare.column]]", "fill",
     "value or level that replaces missing ones, in place of the mean or the most frequent one"},
    {"[prepare]", "every", "points between two checks of a scale that may change; 0: the engine chooses"},
    {"[prepare]", "unit_rows", "whether each prepared point is scaled to length 1; scales must then be none or fixed"},
    {"[[prepare.column]]", "name", "name of the column, or its number"},
    {"[[prepare.column]]", "levels", "levels of a category"},
    {"[[prepare.column]]", "encoding", "how a category is encoded: onehot or ordinal"},
    {"[[prepare.column]]", "hash", "number of columns that text of any value is hashed to"},
    {"[[prepare.column]]", "dates", "unit of dates since 1970"},
    {"[files]", "missing_texts", "further texts that mean a missing value: \"TEXT\", or \"COLUMN=TEXT\" in one column"},
    {"[files]", "decimal_mark", "point or comma, in delimited text; without it, found in each file"},
    {"[files]", "day_first", "columns of dates such as 31/1/2026"},
    {"[files]", "month_first", "columns of dates such as 1/31/2026"},
    {"[[model]]", "name", "name of the model and of its topics"},
    {"[[model]]", "kind", "kind of the model, such as safairkm"},
    {"[[model]]", "every",
     "0: a step with every batch; n: a step in the background after every n points, whose result becomes visible when "
     "the next step starts"},
    {"[[model]]", "when_busy",
     "if the last step in the background is not done when the next one is due: wait (points wait for it) or skip (the "
     "next step is left out)"},
    {"[recording]", "path", "file of the recording"},
    {"[recording]", "keep_events", "events kept before the older of the two checkpoints; 0: all"},
    {"[recording]", "keep_for", "age at which events are deleted; without it never"},
    {"[recording]", "keep_bytes", "bytes of the newest events that are kept; 0: all"},
    {"[recording]", "checkpoint_events", "events between two checkpoints"},
    {"[recording]", "checkpoint_bytes", "bytes of events between two checkpoints"},
    {"[recording]", "checkpoint_work", "counted multiply-adds between two checkpoints"},
    {"[recording]", "refused_rows", "number of newest refused messages that are kept"},
    {"[recording]", "refused_bytes", "largest number of bytes kept of a refused message"},
    {"[recording]", "any_cpu_level", "whether to go on with a recording made on another set of CPU instructions"},
    {"[ingest]", "endpoint", "endpoint that takes points"},
    {"[ingest]", "credit", "unanswered events that a producer may have; fewer if events are long"},
    {"[ingest]", "connections", "largest number of open connections of producers"},
    {"[ingest]", "max_message_bytes", "largest event or request, in bytes"},
    {"[ingest]", "producer_idle_events", "events after which a silent producer is forgotten"},
    {"[ingest]", "producers", "largest number of producers that are known"},
    {"[ingest]", "commit_events", "largest number of events in one commit"},
    {"[ingest]", "ahead_at_most",
     "how far the time of an event may be ahead of the engine's clock, or \"any\"; without it a day, or a tenth of "
     "max_age if that is less"},
    {"[updates]", "endpoint", "endpoint that publishes updates"},
    {"[updates]", "connections", "largest number of open connections of subscribers"},
    {"[updates]", "queue", "publications that may wait for a slow subscriber"},
    {"[updates]", "ring_messages",
     "number of newest publications of a topic that are kept for subscribers that missed some"},
    {"[updates]", "ring_bytes",
     "largest number of bytes of a topic's publications that are kept for subscribers that missed some"},
    {"[control]", "endpoint", "endpoint that answers requests"},
    {"[control]", "connections", "largest number of open connections of clients"},
    {"[clients]", "names",
     "largest number of known producers of a client; above it, the longest idle ones are forgotten"},
    {"[clients]", "connections", "largest number of connections of a client to each endpoint"},
    {"[clients]", "subscriptions", "largest number of topics that a client follows"},
    {"[security]", "keys", "file of the engine's keys"},
    {"[security]", "clients", "public keys of clients that may do everything"},
    {"[security]", "producers", "public keys of clients that may send events"},
    {"[security]", "subscribers", "public keys of clients that may follow updates"},
    {"[security]", "controllers", "public keys of clients that may change options and stop the engine"},
    {"[security]", "allow_plain_network", "whether endpoints that other machines reach may be bound without keys"},
});

}  // namespace

std::span<const ConfigKey> config_keys() {
    return keys;
}

}  // namespace fairstream
