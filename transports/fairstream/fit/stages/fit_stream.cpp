#include <fairstream/fit/stages/fit_stream.hpp>

#include <algorithm>
#include <limits>

#include <fairstream/base/progress_text.hpp>
#include <fairstream/config/settings.hpp>
#include <fairstream/files/written/output.hpp>
#include <fairstream/input/groups_of_points.hpp>
#include <fairstream/input/saved_stream.hpp>
#include <fairstream/models/model_kind.hpp>
#include <fairstream/options.hpp>
#include <fairstream/text/clock.hpp>
#include <fairstream/text/numbers.hpp>
#include <fairstream/text/shell_word.hpp>

namespace fairstream::fit {
namespace {

/// Adds the additive figures of a step.
void add_totals(const ModelAbout& about, const ModelUpdate& update, FitFigures& figures) {
    for (const Figure& figure : update.figures) {
        const FigureText* text = find_named(about.figures, figure.name);
        if (text == nullptr || !text->adds_up) continue;
        if (Figure* total = find_named(figures.totals, figure.name))
            total->value += figure.value;
        else
            figures.totals.push_back(figure);
    }
}

// Throws if there are fewer points than clusters. The engine's own error would mention its window, which users of `fit`
// do not know.
void require_points(const FitOptions& options, const ModelOptions& model, Slot retained) {
    const std::size_t clusters = cluster_count(model);
    if (clusters <= retained) return;
    throw InvalidInput(Reason::bad_option, "clusters = " + std::to_string(clusters) + ": " +
                                               (options.window ? "--window retains " : "there are ") +
                                               counted(retained, "point") + " only");
}

/// Returns the command that sends outcomes of points sent earlier.
std::string outcomes_comment(const FitOptions& options) {
    const std::string target = options.input.target, positive = options.stream->positive.value_or("");
    return "# Send later outcomes with the ids of their points:\n#   fairstream send --outcomes "
           "FILE.csv "
           "--id " +
           (options.input.id.empty() ? "COL" : shell_word(options.input.id)) + " --target " +
           (target.empty() ? "COL" : shell_word(target)) +
           (positive.empty() ? "" : " --positive " + shell_word(positive)) +
           "\n# An outcome counts only while its point is retained: choose capacity under [window] so that points stay "
           "until their outcome arrives.\n";
}

/// Returns the number of points in an event.
std::size_t batch_of(const FitOptions& options, const ModelAbout& about, std::size_t all) {
    return options.batch.value_or(about.solves_window ? all : usual_batch);
}

/// Returns the command that sends the file. Batches equal those of the fit if a message can hold them.
std::string send_command(const FitOptions& options, const ModelOptions& model, const StreamFormat& format,
                         std::size_t retained) {
    std::string line = "fairstream send";
    for (const std::string& word : files::send_arguments(options.input, *options.stream))
        line += " " + shell_word(word);
    // For a model that solves for its window, the first batch is the whole file, unless the window is smaller.
    const std::size_t batch =
        options.window && !options.batch ? usual_batch : batch_of(options, model.kind().about(), retained);
    const bool fits = batch < config::WireOptions{}.max_message_bytes / 2 / files::most_bytes_of_point(format);
    return batch == usual_batch || !fits ? line : line + " --batch " + std::to_string(batch);
}

/// Returns whether options of a model list a value for each group, or numbers of groups, so that an additional group
/// would change them.
bool lists_groups(const ModelOptions& model) {
    const auto value = [&](const char* name) { return config::option_text_of(model, name).value_or(""); };
    const auto has_several = [&](const char* name) { return value(name).find(',') != std::string::npos; };
    return has_several("share_at_least") || has_several("share_at_most") ||
           (!value("named_groups").empty() && value("named_groups") != "-1");
}

/// Returns the lines on how an engine refines a model that `fit` refined.
std::string refinement_comment(const FitOptions& options, const ModelOptions& model) {
    // A model of predictions trains to its end; it is refined only on request.
    if (!is_refined(options, model) || (gives_predictions(model) && !options.iterations)) return "";
    return "# At its end, fit improved the model " +
           (options.iterations ? "by " + counted(static_cast<std::uint64_t>(*options.iterations), "round")
                               : std::string("until nothing improved")) +
           ". An engine improves its model gradually, as points arrive. To improve it at once:\n#   fairstream "
           "refine " +
           shell_word(options.model) + (options.iterations ? " --rounds " + std::to_string(*options.iterations) : "") +
           "\n";
}

/// Returns the stream of a file, changed so that later files may have missing values. A configuration's stream states
/// itself what files may contain, and stays unchanged.
config::StreamOptions tolerant(const FitOptions& options, const ModelOptions& model, config::StreamOptions stream) {
    // A missing prediction stays missing: a filled-in value is no decision that figures could describe.
    if (options.stream->file)
        files::allow_missing_values(stream, gives_outputs(model) ? options.stream->needed : options.stream->features,
                                    options.stream->fills);
    return stream;
}

/// Returns the recording named in the comment of a saved configuration. It is another file than the saved model.
std::string recording_name(const FitOptions& options) {
    const std::filesystem::path config =
        files::is_stdout(options.save_config) ? "stream" : options.save_config.filename();
    const std::filesystem::path name = std::filesystem::path(config).replace_extension(".fairstream");
    if (name != options.save.filename()) return name.string();
    return name.stem().string() + "-stream.fairstream";
}

}  // namespace

void write_config(const FitOptions& options, const ModelOptions& model, Slot capacity, Listener& listener) {
    if (options.save_config.empty()) return;
    const bool is_described = options.stream->file.has_value(), is_monitor = !gives_outputs(model);
    config::StreamOptions saved = tolerant(options, model, {options.stream->format, options.stream->prepare});
    if (is_described && !lists_groups(model)) {
        listener.notes(files::notes_on_groups_kept(options.stream->listed, saved.format.attributes));
        saved.format.attributes = options.stream->listed;
        files::allow_unlisted_groups(saved.format);
    }
    if (is_monitor) saved.format.has_targets = saved.format.targets_come_later = true;
    const EngineOptions engine{.format = saved.format,
                               .window = {.capacity = capacity},
                               .models = {{options.model, model, {}}},
                               .prepare = saved.prepare};
    files::write_file(
        options.save_config,
        "# The stream of " + options.input.name() +
            ", as fairstream fit prepared it. To serve it and send the file:\n#   fairstream serve --config " +
            (files::is_stdout(options.save_config) ? "FILE" : shell_word(options.save_config.string())) +
            " --recording " + shell_word(recording_name(options)) + "\n#   " +
            send_command(options, model, saved.format, capacity) + "\n" +
            (options.input.split.empty() ? ""
                                         : "# fit used the training rows of the file; this command sends all rows.\n") +
            refinement_comment(options, model) + (is_monitor ? outcomes_comment(options) : "") +
            (is_described ? files::tolerance_comment(saved) : std::string()) +
            (options.window ? ""
                            : "# The engine retains as many points as the file has: the oldest leave when new ones "
                              "arrive. A larger\n"
                              "# capacity retains more; set it before the recording begins.\n") +
            "\n" + config::write_config(engine, options.stream->reader));
}

files::Table load_points(FitOptions& options, Listener& listener) {
    files::Table table = files::load_table(options.input, options.stream, listener);
    if (!options.input.input.empty()) options.feature_names = table.feature_names;
    return table;
}

files::Table load_streamed(FitOptions& options, Listener& listener) {
    files::Table table = load_points(options, listener);
    if (options.window && options.stream && options.stream->file)
        listener.notes(files::leave_out_groups_that_leave(*options.window, table, *options.stream));
    return table;
}

bool is_refined(const FitOptions& options, const ModelOptions& model) {
    return options.iterations != 0 && model.kind().is_refinable();
}

// Returns the limit on the work of a refinement, in multiply-adds.
std::uint64_t work_limit(const FitOptions& options) {
    constexpr std::uint64_t billion = 1'000'000'000;
    return options.iterations || options.work == 0 ? no_work_limit : options.work * billion;
}

EngineOptions engine_options(const FitOptions& options, const ModelOptions& model, const files::Table& table) {
    if (table.size() > std::numeric_limits<Slot>::max() / 2) {
        throw InvalidInput(Reason::bad_option,
                           std::to_string(table.size()) + " points are too many for one window: use --window");
    }
    EngineOptions engine;
    engine.event_work_limit = no_work_limit;  // the user sees the progress and can stop it
    engine.step_work_limit = work_limit(options);
    engine.format = table.format;
    if (options.stream) engine.prepare = options.stream->prepare;
    if (options.stream && !options.save.empty()) {
        config::StreamOptions saved = tolerant(options, model, {engine.format, engine.prepare});
        engine.format = std::move(saved.format);
        engine.prepare = std::move(saved.prepare);
    }
    engine.window.capacity = options.window.value_or(static_cast<Slot>(table.size()));
    require_points(options, model, engine.window.capacity);
    if (options.seed) engine.window.seed = *options.seed;
    engine.models.push_back({options.model, model, {}});
    return engine;
}

const Update& ingest_event(Engine& engine, const Event& event, const FitFigures& figures) {
    return figures.saved == nullptr ? engine.ingest(event) : figures.saved->ingest(engine, event);
}

FitProgress part_of(const FitProgress& progress, double from, double to) {
    return [&progress, from, to](double share, std::string_view done) {
        return progress(from + share * (to - from), done);
    };
}

void stream(const FitOptions& options, const files::Table& table, Engine& engine, const FitProgress& progress,
            FitFigures& figures) {
    const std::uint64_t passes = options.passes.value_or(1), total = passes * table.size();
    const ModelAbout& about = engine.current_options(options.model).kind().about();
    // A model that solves for the whole window gets all points at once.
    const std::size_t batch = batch_of(options, about, table.size());
    figures.batch = batch;
    PointColumns points;
    double churn = 0;
    const auto report_progress = [&](double sent, const std::string& done) {
        figures.stopped = !progress(sent / static_cast<double>(total), done);
        return !figures.stopped;
    };
    engine.on_progress([&](const WorkProgress& work) {
        const std::string of_event = progress_text(work);
        const std::uint64_t sent = figures.points + points.ids.size();
        const bool is_all = sent == total && figures.points == 0;
        return report_progress(
            static_cast<double>(figures.points) + work.share * static_cast<double>(points.ids.size()),
            is_all && !of_event.empty() ? of_event
                                        : counted(sent, "point") + (of_event.empty() ? "" : ", ") + of_event);
    });
    for (std::uint64_t pass = 0; pass < passes && !figures.stopped; ++pass) {
        for (std::size_t first = 0; first < table.size() && !figures.stopped; first += batch) {
            copy_points(table, first, std::min(batch, table.size() - first), points);
            const auto start = Clock::now();
            const ModelUpdate& update = ingest_event(engine, points.view(), figures).models[0];
            figures.ingest_seconds += seconds_since(start);
            figures.points += points.ids.size();
            if (update.solve.outcome != Outcome::warming) {
                ++figures.steps;
                churn += update.churn;
                add_totals(about, update, figures);
            }
            if (!figures.stopped)
                report_progress(static_cast<double>(figures.points), counted(figures.points, "point"));
        }
    }
    engine.on_progress({});
    figures.churn = figures.steps == 0 ? 0 : churn / static_cast<double>(figures.steps);
}

void refine(const FitOptions& options, Engine& engine, FitFigures& figures, const FitProgress& progress) {
    if (figures.stopped || !is_refined(options, engine.current_options(options.model))) return;
    engine.on_progress([&](const WorkProgress& work) {
        figures.stopped = !progress(work.share, progress_text(work));
        return !figures.stopped;
    });
    const auto start = Clock::now();
    const Update& made = ingest_event(engine, Refinement{options.model, options.iterations.value_or(0)}, figures);
    const ModelUpdate& update = made.models[0];
    figures.refine_seconds += seconds_since(start);
    engine.on_progress({});
    // Searches end at three quarters of the limit; the rest is for repairs.
    figures.is_cut = update.solve.outcome == Outcome::iteration_limit && made.work >= work_limit(options) / 2;
    figures.refine_churn = update.churn;
    figures.refinement = update.solve;
    figures.refined = true;
    add_totals(engine.current_options(options.model).kind().about(), update, figures);
}

}  // namespace fairstream::fit
