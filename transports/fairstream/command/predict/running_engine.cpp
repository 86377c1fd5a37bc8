#include <utility>

#include <fairstream/command/predict/asked_engine.hpp>
#include <fairstream/options.hpp>
#include <fairstream/zmq/control_client.hpp>

namespace fairstream::command {
namespace {

/// Returns the options of a model as far as its description has them, which names protected attributes.
ModelOptions described_options(const wire::ModelDescription& model, const StreamFormat& format) {
    ModelOptions options = default_options(model.kind);
    for (const wire::OptionState& option : model.options)
        if (option.value != "given")
            set_option(options, option.name,
                       option.name == attribute_option ? attribute_indices(option.value, format.attributes)
                                                       : option.value);
    return options;
}

class RunningEngine final : public AskedEngine {
public:
    explicit RunningEngine(zmq::ControlOptions options) : client_(std::move(options)) {
        wire::Description description = client_.description();
        format_ = std::move(description.format);
        for (const wire::ModelDescription& model : description.models)
            models_.push_back({model.name, described_options(model, format_)});
    }

    const StreamFormat& format() const override { return format_; }
    const std::vector<AskedModel>& models() const override { return models_; }
    Sequence sequence() override { return client_.health().sequence; }
    std::uint64_t retained() override { return client_.health().retained; }

    std::vector<ClusterId> assign(const std::string& model, ConstRows rows, std::span<const GroupId> groups) override {
        return client_.assign(model, rows, groups);
    }
    std::vector<Score> score(const std::string& model, ConstRows rows, std::span<const GroupId> groups) override {
        return client_.score(model, rows, groups);
    }
    std::vector<float> memberships(const std::string& model, ConstRows rows) override {
        return client_.memberships(model, rows);
    }

private:
    zmq::ControlClient client_;
    StreamFormat format_;
    std::vector<AskedModel> models_;
};

}  // namespace

std::unique_ptr<AskedEngine> ask_engine_at(const std::string& endpoint, std::chrono::milliseconds timeout,
                                           const std::optional<zmq::ClientSecurity>& security) {
    zmq::ControlOptions options;
    options.endpoint = endpoint;
    options.timeout = timeout;
    options.security = security;
    return std::make_unique<RunningEngine>(std::move(options));
}

}  // namespace fairstream::command
