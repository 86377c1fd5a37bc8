#include <fairstream/zmq/subscriber_options.hpp>

namespace fairstream::zmq {

SubscriberOptions completed(SubscriberOptions options) {
    const auto require = [](bool holds, const char* rule) {
        if (!holds) throw InvalidInput(Reason::bad_option, rule);
    };
    require(!options.model.empty(), "a subscriber needs the name of a model");
    require(options.liveness.count() >= 1, "liveness must be at least 1 ms");
    require(options.request_timeout.count() >= 1, "request_timeout must be at least 1 ms");
    require(options.receive_queue >= 1, "receive_queue must be at least 1");
    if (options.security) check(*options.security);
    if (!options.context) options.context = std::make_shared<Context>();
    return options;
}

}  // namespace fairstream::zmq
