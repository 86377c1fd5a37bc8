/// The first byte of an input chooses the model; each line of the rest sets one of its options: "name=value".

#include <algorithm>
#include <string_view>

#include <fairstream/options.hpp>

#include "fuzz/oracle.hpp"

namespace fairstream::fuzz {
namespace {

void set_line(ModelOptions& options, std::string_view line) {
    const std::size_t equals = std::min(line.find('='), line.size());
    const ModelOptions before = options;
    try {
        set_option(options, line.substr(0, equals), line.substr(std::min(equals + 1, line.size())));
    } catch (const InvalidInput&) {
        require(options == before, "a refused option changes nothing");
    }
}

// Sets every option, as text, on other options of the same model.
ModelOptions again(const ModelOptions& options, ModelOptions onto) {
    for (const OptionText& option : list_options(options)) set_option(onto, option.name, option.value);
    return onto;
}

}  // namespace
}  // namespace fairstream::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace fairstream;
    if (size == 0) return 0;
    const std::vector<std::string> models = model_names();
    const std::string& model = models[data[0] % models.size()];
    ModelOptions options = default_options(model);
    std::string_view rest(reinterpret_cast<const char*>(data + 1), size - 1);
    while (!rest.empty()) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        fuzz::set_line(options, line);
    }
    fuzz::require(model_name(options) == model, "options stay those of their model");
    fuzz::require(fuzz::again(options, default_options(model)) == options, "options read back equal from their texts");
    ModelOptions recorded = recorded_options(model);
    for (const OptionText& option : list_options(options))
        if (!option.left_out) set_option(recorded, option.name, option.value);
    fuzz::require(recorded == options, "what a recording leaves out is what it means without saying so");
    return 0;
}
