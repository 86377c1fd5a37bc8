#include <fairstream/config/config_keys.hpp>

#include <array>

namespace fairstream {
namespace {

constexpr auto keys = std::to_array<ConfigKey>({
    {"", "threads", "tasks of the engine; 0: as many as there are cores"},
    {"", "event_work_limit", "multiply-adds, by estimate, above which an event or option is refused"},
    {"", "step_work_limit", "multiply-adds, counted, after which what an event waits for ends with the best there is"},
    {"[stream]", "dimensions", "features of a point"},
    {"[stream]", "targets", "whether points carry a target; \"later\": it may come by id"},
    {"[stream]", "weights", "whether points may carry weights"},
    {"[stream]", "ids", "number or text"},
    {"[stream]", "text_ids", "numbered: by the engine; hashed: by producers, in recordings that began so"},
    {"[stream]", "columns", "names of the features"},
    {"[[stream.attribute]]", "name", "of the protected attribute"},
    {"[[stream.attribute]]", "groups", "names of its groups"},
    {"[[stream.attribute]]", "unknown", "name of the group of points whose group is not known"},
    {"[window]", "capacity", "points that are retained at most"},
    {"[window]", "policy", "sliding: the newest points; reservoir: a uniform sample of all"},
    {"[window]", "seed", "of the reservoir's draws"},
    {"[window]", "max_age", "age at which points leave"},
    {"[window]", "half_life", "age, or number of newer points, at which a point weighs half"},
    {"[prepare], [[prepare.column]]", "scale", "how columns are scaled: none, fixed, first:N, running"},
    {"[prepare], [[prepare.column]]", "mean", "that a fixed scale subtracts"},
    {"[prepare], [[prepare.column]]", "deviation", "that a fixed scale divides by"},
    {"[prepare], [[prepare.column]]", "log", "whether sign(x) ln(1 + |x|) is taken"},
    {"[prepare], [[prepare.column]]", "clip", "bounds that values are set to"},
    {"[prepare], [[prepare.column]]", "missing",
     "what becomes of missing values: refuse, mean, most_frequent, indicator"},
    {"[[prepare.column]]", "fill", "value or level that takes the place of the mean or the most frequent one"},
    {"[prepare]", "every", "points between looks at a scale that may change; 0: chosen by the engine"},
    {"[prepare]", "unit_rows",
     "whether each prepared point is scaled to length 1, which scales that change do not allow"},
    {"[[prepare.column]]", "name", "of the column, or its number"},
    {"[[prepare.column]]", "levels", "of a category"},
    {"[[prepare.column]]", "encoding", "of a category: onehot or ordinal"},
    {"[[prepare.column]]", "hash", "columns that text of any value is hashed to"},
    {"[[prepare.column]]", "dates", "unit of dates since 1970"},
    {"[files]", "missing_texts", "further texts of missing values: \"TEXT\", or \"COLUMN=TEXT\" in one column"},
    {"[files]", "decimal_mark", "point or comma, in files of delimited text; without it each file tells"},
    {"[files]", "day_first", "columns of dates such as 31/1/2026"},
    {"[files]", "month_first", "columns of dates such as 1/31/2026"},
    {"[[model]]", "name", "of the model, and of its topics"},
    {"[[model]]", "kind", "of the model"},
    {"[[model]]", "every",
     "0: it steps with every event of points; n: in the background, after every n points, and is seen when the next "
     "step is due"},
    {"[[model]]", "when_busy",
     "where a step in the background is not done as the next is due, wait: points wait for it; skip: they go on, and "
     "the next one is left out"},
    {"[recording]", "path", "file of the recording"},
    {"[recording]", "keep_events", "events that stay in the recording; 0: all"},
    {"[recording]", "keep_for", "how long an event stays in the recording; without it for ever"},
    {"[recording]", "keep_bytes", "bytes of the newest events that stay in the recording; 0: all"},
    {"[recording]", "checkpoint_events", "events between checkpoints"},
    {"[recording]", "checkpoint_bytes", "bytes of events between checkpoints"},
    {"[recording]", "checkpoint_work", "multiply-adds that events took, counted, between checkpoints"},
    {"[recording]", "refused_rows", "refused messages that are kept"},
    {"[recording]", "refused_bytes", "of a refused message that are kept"},
    {"[recording]", "any_cpu_level", "whether to go on with a recording that other kernels made"},
    {"[ingest]", "endpoint", "that takes points"},
    {"[ingest]", "credit", "events that a producer may have unanswered, fewer of long ones"},
    {"[ingest]", "connections", "of producers, open at a time"},
    {"[ingest]", "max_message_bytes", "of an event or a request"},
    {"[ingest]", "producer_idle_events", "events after which a silent producer is forgotten"},
    {"[ingest]", "producers", "that are known at most"},
    {"[ingest]", "commit_events", "events per commit while more wait"},
    {"[ingest]", "ahead_at_most",
     "how far the time of an event may be ahead of the engine's clock, or \"any\"; without it a day, or a tenth of "
     "max_age if that is less"},
    {"[updates]", "endpoint", "that publishes"},
    {"[updates]", "connections", "of subscribers, open at a time"},
    {"[updates]", "queue", "publications that may wait for a slow subscriber"},
    {"[updates]", "ring_messages", "newest publications of a topic that are kept for repair"},
    {"[updates]", "ring_bytes", "of them"},
    {"[control]", "endpoint", "that answers requests"},
    {"[control]", "connections", "of clients, open at a time"},
    {"[clients]", "names", "producers that are known of each client; above it the idlest are forgotten"},
    {"[clients]", "connections", "of each client to each socket"},
    {"[clients]", "subscriptions", "topics that each client follows"},
    {"[security]", "keys", "file of the engine's keys"},
    {"[security]", "clients", "public keys that may do everything"},
    {"[security]", "producers", "public keys that may send events"},
    {"[security]", "subscribers", "public keys that may follow updates"},
    {"[security]", "controllers", "public keys that may change options and stop the engine"},
    {"[security]", "allow_plain_network", "whether to bind endpoints that others reach, without keys"},
});

}  // namespace

std::span<const ConfigKey> config_keys() {
    return keys;
}

}  // namespace fairstream
