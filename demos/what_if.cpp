/// Replays a recorded stream under other options, beside the original.
///
///     what_if loans.fairstream fair.balance_at_least=0.2 fair.clusters=12
///
/// The first run is the recorded one, byte for byte; the second differs only in the named options.

#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include <fairstream/log/open/open.hpp>
#include <fairstream/options.hpp>
#include <fairstream/replay/run.hpp>

#include "screen.hpp"

namespace {

using namespace fairstream;
using demo::fixed, demo::padded;

/// Applies "MODEL.OPTION=VALUE". Throws `InvalidInput`.
void change(EngineOptions& engine, const std::string& text) {
    const std::size_t dot = text.find('.'), equals = text.find('=', dot);
    if (equals == std::string::npos) throw InvalidInput(Reason::bad_option, text + ": must be MODEL.OPTION=VALUE");
    for (ModelSetup& model : engine.models) {
        if (model.name != text.substr(0, dot)) continue;
        return set_option(model.options, text.substr(dot + 1, equals - dot - 1), text.substr(equals + 1));
    }
    throw InvalidInput(Reason::unknown_model, text + ": the recording has no model '" + text.substr(0, dot) + "'");
}

void line(const std::string& name, const std::string& recorded, const std::string& other) {
    std::printf("  %s%s%s\n", padded(name, -28).c_str(), padded(recorded, 14).c_str(), padded(other, 14).c_str());
}

/// Prints the options in which the two runs differ, then their results.
void compare(const replay::Run& recorded, const replay::Run& other, std::size_t model) {
    std::printf("\n%s\n", recorded.models[model].name.c_str());
    line("", "as recorded", "what if");
    const auto options = list_options(recorded.options.models[model].options);
    const auto others = list_options(other.options.models[model].options);
    for (std::size_t i = 0; i < options.size(); ++i) {
        if (options[i].value != others[i].value) line(options[i].name, options[i].value, others[i].value);
    }
    const replay::ModelRun &a = recorded.models[model], &b = other.models[model];
    const wire::FairnessReport &last = a.samples.back().figures, &last_other = b.samples.back().figures;
    line("cost at the end", fixed(last.cost, 4), fixed(last_other.cost, 4));
    for (std::size_t i = 0; i < last.attributes().size(); ++i) {
        const wire::AttributeReport &x = last.attributes()[i], &y = last_other.attributes()[i];
        line("balance of " + x.attribute, fixed(x.balance, 3), fixed(y.balance, 3));
        line("average balance of " + x.attribute, fixed(x.average_balance, 3), fixed(y.average_balance, 3));
    }
    line("mean churn", demo::percent(a.mean_churn), demo::percent(b.mean_churn));
    line("swaps", demo::counted(static_cast<std::uint64_t>(a.swaps)),
         demo::counted(static_cast<std::uint64_t>(b.swaps)));
}

void run(const char* path, const std::vector<std::string>& changes) {
    const auto recording = log::open_read_only(path);
    const EngineOptions options = replay::recorded_options(*recording);
    EngineOptions others = options;
    for (const std::string& text : changes) change(others, text);
    const replay::Run recorded = replay::run(*recording, options), other = replay::run(*recording, others);
    if (recorded.events == 0) throw InvalidInput(Reason::not_ready, std::string(path) + " has no events");
    std::printf("%s: %s points in %s events\n", path, demo::counted(recorded.points).c_str(),
                demo::counted(recorded.events).c_str());
    for (std::size_t i = 0; i < options.models.size(); ++i) compare(recorded, other, i);
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 3) {
        std::fputs("Usage: what_if RECORDING MODEL.OPTION=VALUE...\n", stderr);
        return 2;
    }
    try {
        run(arguments[1], {arguments + 2, arguments + count});
    } catch (const fairstream::InvalidInput& error) {
        std::fprintf(stderr, "what_if: %s\n", error.what());
        return 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "what_if: %s\n", error.what());
        return 1;
    }
}
