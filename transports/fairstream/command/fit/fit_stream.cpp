#include <fairstream/command/fit/fit_stream.hpp>

#include <algorithm>
#include <limits>

#include <fairstream/command/console/clock.hpp>
#include <fairstream/command/console/output.hpp>
#include <fairstream/command/console/shell_word.hpp>
#include <fairstream/command/console/terminal.hpp>
#include <fairstream/models/model_kind.hpp>
#include <fairstream/options.hpp>

namespace fairstream::command {
namespace {

/// Adds the figures of a step that add up.
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

// Throws when there are fewer points than clusters; the engine's own error would name its window, unknown to a user of
// `fit`.
void require_points(const FitOptions& options, const ModelOptions& model, Slot retained) {
    const std::size_t clusters = cluster_count(model);
    if (clusters <= retained) return;
    throw InvalidInput(Reason::bad_option, "clusters = " + std::to_string(clusters) + ": " +
                                               (options.window ? "--window retains " : "there are ") +
                                               counted(retained, "point") + " only");
}

}  // namespace

void write_config(const FitOptions& options, const ModelOptions& model, Slot capacity) {
    if (options.save_config.empty()) return;
    EngineOptions engine{.format = options.stream->format,
                         .window = {.capacity = capacity},
                         .models = {{options.model, model, {}}},
                         .prepare = options.stream->prepare};
    std::string send = "fairstream send --input " + shell_word(options.input.name());
    for (const auto& [option, value] :
         {std::pair("--id", options.input.id), std::pair("--target", options.input.target),
          std::pair("--positive", options.stream->positive.value_or("")), std::pair("--weight", options.input.weight),
          std::pair("--missing", std::string(options.stream->needed.empty() ? "" : "drop"))})
        if (!value.empty()) send += " " + std::string(option) + " " + shell_word(value);
    const std::string refined = is_refined(options, model) ? "# fit also improved the model until nothing improved: "
                                                             "the engine does so as points come, or when a client\n"
                                                             "# asks for a refinement.\n"
                                                           : "";
    write_file(options.save_config,
               "# The stream of " + options.input.name() +
                   ", as fairstream fit prepared it. Serve it, and send the file:\n#   fairstream serve --config " +
                   shell_word(options.save_config.string()) + " --recording points.fairstream\n#   " + send + "\n" +
                   refined + "\n" + config::write_toml(engine));
}

bool is_refined(const FitOptions& options, const ModelOptions& model) {
    return options.iterations != 0 && model.kind().is_refinable();
}

csv::Table load_points(FitOptions& options) {
    return load_table(options.input, options.stream);
}

EngineOptions engine_options(const FitOptions& options, const ModelOptions& model, const csv::Table& table) {
    if (table.size() > std::numeric_limits<Slot>::max() / 2) {
        throw InvalidInput(Reason::bad_option,
                           std::to_string(table.size()) + " points do not fit one window: use --window");
    }
    EngineOptions engine;
    engine.event_work_limit = no_work_limit;  // the user of a fit sees its progress, and may end it
    engine.format = table.format;
    if (options.stream) engine.prepare = options.stream->prepare;
    engine.window.capacity = options.window.value_or(static_cast<Slot>(table.size()));
    require_points(options, model, engine.window.capacity);
    if (options.seed) engine.window.seed = *options.seed;
    engine.models.push_back({options.model, model, {}});
    return engine;
}

std::string text_of(const WorkProgress& work) {
    std::string text(work.stage);
    if (work.rounds > 0 || work.most_rounds > 0) text += (text.empty() ? "" : " ") + counted(work.rounds);
    if (work.most_rounds > 0) text += " of at most " + counted(work.most_rounds);
    return text;
}

FitProgress part_of(const FitProgress& progress, double from, double to) {
    return [&progress, from, to](double share, std::string_view done) {
        return progress(from + share * (to - from), done);
    };
}

void stream(const FitOptions& options, const csv::Table& table, Engine& engine, const FitProgress& progress,
            FitFigures& figures) {
    const std::uint64_t passes = options.passes.value_or(1), total = passes * table.size();
    const ModelAbout& about = engine.current_options(options.model).kind().about();
    // A model that solves for the whole window is given all points at once.
    const std::size_t batch = options.batch.value_or(about.solves_window ? table.size() : usual_batch);
    figures.batch = batch;
    PointColumns points;
    double churn = 0;
    const auto tell = [&](double sent, const std::string& done) {
        figures.stopped = !progress(sent / static_cast<double>(total), done);
        return !figures.stopped;
    };
    engine.on_progress([&](const WorkProgress& work) {
        const std::string of_event = text_of(work);
        const std::uint64_t sent = figures.points + points.ids.size();
        const bool is_all = sent == total && figures.points == 0;
        return tell(static_cast<double>(figures.points) + work.share * static_cast<double>(points.ids.size()),
                    is_all && !of_event.empty() ? of_event
                                                : counted(sent, "point") + (of_event.empty() ? "" : ", ") + of_event);
    });
    for (std::uint64_t pass = 0; pass < passes && !figures.stopped; ++pass) {
        for (std::size_t first = 0; first < table.size() && !figures.stopped; first += batch) {
            copy_points(table, first, std::min(batch, table.size() - first), points);
            const auto start = Clock::now();
            const ModelUpdate& update = engine.ingest(points.view()).models[0];
            figures.ingest_seconds += seconds_since(start);
            figures.points += points.ids.size();
            if (update.solve.outcome != Outcome::warming) {
                ++figures.steps;
                churn += update.churn;
                add_totals(about, update, figures);
            }
            if (!figures.stopped) tell(static_cast<double>(figures.points), counted(figures.points, "point"));
        }
    }
    engine.on_progress({});
    figures.churn = figures.steps == 0 ? 0 : churn / static_cast<double>(figures.steps);
}

void refine(const FitOptions& options, Engine& engine, FitFigures& figures, const FitProgress& progress) {
    if (figures.stopped || !is_refined(options, engine.current_options(options.model))) return;
    engine.on_progress([&](const WorkProgress& work) {
        figures.stopped = !progress(work.share, text_of(work));
        return !figures.stopped;
    });
    const auto start = Clock::now();
    const ModelUpdate& update = engine.ingest(Refinement{options.model, options.iterations.value_or(0)}).models[0];
    figures.refine_seconds += seconds_since(start);
    engine.on_progress({});
    figures.refine_churn = update.churn;
    figures.refinement = update.solve;
    figures.refined = true;
    add_totals(engine.current_options(options.model).kind().about(), update, figures);
}

}  // namespace fairstream::command
