#include <fairstream/zmq/subscriber_options.hpp>

#include <fairstream/base/refuse_option.hpp>

namespace fairstream::zmq {

SubscriberOptions completed(SubscriberOptions options) {
    if (options.model.empty()) throw InvalidInput(Reason::bad_option, "model: is empty; must be the name of a model");
    require_at_least("liveness", options.liveness.count(), 1, " ms");
    require_at_least("request_timeout", options.request_timeout.count(), 1, " ms");
    require_at_least("receive_queue", options.receive_queue, 1);
    if (options.security) check(*options.security);
    if (!options.context) options.context = std::make_shared<Context>();
    return options;
}

}  // namespace fairstream::zmq
