#include <optional>
#include <string_view>

#include <fairstream/config/config.hpp>

#include "fuzz/oracle.hpp"

namespace fairstream::fuzz {
namespace {

template <class Parse> auto accepted(std::string_view text, const Parse& parse) {
    std::optional<decltype(parse(text, std::string()))> options;
    try {
        options = parse(text, "input");
    } catch (const InvalidInput&) {
    }
    return options;
}

void check_engine(const EngineOptions& options) {
    check(options);
    require(config::parse(config::write_config(options), "again").engine == options,
            "an engine's configuration is written as one that reads back equal");
    const std::string recorded = config::write_toml(options);
    EngineOptions again = config::parse_recorded(recorded, "again");
    again.event_work_limit = options.event_work_limit;  // belongs to the process, not to the recording
    require(again == options, "what a recording keeps of a configuration reads back equal");
    require(config::write_toml(again) == recorded, "equal options give equal text");
    require(config::differences(recorded, recorded).empty(), "equal texts do not differ");
    require(canonical_text(again) == canonical_text(options), "equal options give equal lines");
}

}  // namespace
}  // namespace fairstream::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace fairstream;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (const auto process = fuzz::accepted(text, config::parse)) fuzz::check_engine(process->engine);
    if (const auto engine = fuzz::accepted(text, config::parse_recorded)) fuzz::check_engine(*engine);
    return 0;
}
