#include <fairstream/fit/outputs/fit_job.hpp>

#include <fairstream/fit/stages/fit_stream.hpp>

namespace fairstream::fit {

FitResult FitJob::run() {
    check();
    load();
    listener_.enter(Listener::Phase::working);
    FitStop stop(listener_);
    fit(stop);
    stopped_ = stop.stopped();
    listener_.enter(Listener::Phase::writing);
    if (const std::optional<Slot> retained = capacity()) write_config(options_, model_, *retained, listener_);
    if (saved_) saved_->write(options_, listener_);
    write();
    Judgement judgement = judge();
    return {stopped_ ? stopped_early : judgement.code, json(), summary(), std::move(judgement.missed)};
}

}  // namespace fairstream::fit
