#include <fairstream/core/detail/session.hpp>

#include <algorithm>

#include <fairstream/core/detail/live_session.hpp>
#include <fairstream/core/detail/scheduled_session.hpp>

namespace fairstream::core {

ModelOptions Session::changed_options(const KnobChange& knob, const StreamFormat& format) const {
    const std::vector<OptionText> list = kind().list_options(options());
    if (const OptionText* const option = find_option(list, knob.option); option != nullptr && !option->live)
        throw InvalidInput(Reason::bad_option,
                           "option '" + knob.option + "' of " + name_ + " cannot change while running");
    ModelOptions changed = options();
    kind().set_option(changed, knob.option, knob.value);
    kind().check_change(options(), changed);
    kind().check(changed, format);
    return changed;
}

WorkEstimate Session::work_of_batch(const ModelOptions& options, const StreamFormat& format, std::uint64_t points,
                                    std::uint64_t retained) const {
    // With a schedule a batch waits for at most one step, of all points since the last step.
    const std::uint64_t stepped = schedule_.every == 0 ? points : std::min(std::max(points, schedule_.every), retained);
    return kind().step_work(options, format, stepped, retained);
}

void Session::require_refinable() const {
    if (!kind().is_refinable()) throw InvalidInput(Reason::unknown_request, "model " + name_ + " cannot be refined");
}

std::string Session::options_text(const ModelOptions& options) {
    std::string lines;
    for (const OptionText& option : options.kind().list_options(options))
        if (!option.left_out) lines += option.recorded + "=" + option.value + "\n";
    return lines;
}

ModelOptions Session::saved_options(const std::string& text, const StreamFormat& format) const {
    ModelOptions saved = options();
    kind().set_to_when_missing(saved);
    try {
        for (std::string_view rest = text; !rest.empty();) {
            const std::string_view line = rest.substr(0, rest.find('\n'));
            rest.remove_prefix(std::min(rest.size(), line.size() + 1));
            const std::size_t equals = line.find('=');
            if (equals == line.npos) throw InvalidInput(Reason::bad_state, "'" + std::string(line) + "' has no value");
            kind().set_option(saved, line.substr(0, equals), line.substr(equals + 1));
        }
        kind().check(saved, format);
    } catch (const InvalidInput& error) {
        StateReader::fail("the options of " + name_ + " are invalid: " + error.what());
    }
    const std::vector<OptionText> given = kind().list_options(options()), now = kind().list_options(saved);
    for (std::size_t i = 0; i < given.size(); ++i)
        if (!given[i].live && given[i].value != now[i].value)
            StateReader::fail("option '" + given[i].name + "' of " + name_ + " is " + now[i].value +
                              ", although this option cannot change");
    return saved;
}

void Session::check_solve(const Solve& solve) {
    if (solve.outcome > Outcome::unattainable) StateReader::fail("the outcome is unknown");
}

std::unique_ptr<Session> make_session(const std::string& name, const ModelOptions& options, const Schedule& schedule,
                                      const Window& window) {
    return std::visit(
        [&]<class Model>(std::unique_ptr<Model> model) -> std::unique_ptr<Session> {
            // A model without outputs has no provisional predictions; it steps with every batch.
            if constexpr (!std::same_as<Model, Monitor>)
                if (schedule.every != 0)
                    return std::make_unique<ScheduledSession<Model>>(name, schedule, std::move(model), window.format());
            return std::make_unique<LiveSession<Model>>(name, schedule, std::move(model), window.format());
        },
        options.kind().start(options, window));
}

}  // namespace fairstream::core
