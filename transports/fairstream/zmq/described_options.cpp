#include <fairstream/zmq/described_options.hpp>

#include <algorithm>

#include <fairstream/options.hpp>

namespace fairstream::zmq {

std::optional<ModelOptions> described_options(const wire::ModelDescription& model, const StreamFormat& format) {
    if (std::ranges::count(model_names(), model.kind) == 0) return std::nullopt;
    ModelOptions options = default_options(model.kind);
    for (const wire::OptionState& option : model.options) {
        try {
            set_option(options, option.name, option.value, format.attributes);
        } catch (const InvalidInput&) {
            continue;  // "given", or an option of another version
        }
    }
    return options;
}

}  // namespace fairstream::zmq
