#include "recording/crash_stream.hpp"

#include <utility>

namespace fairstream::log::sqlite::test {

namespace {

// Every seventh event continues on a page of its own.
SomeEvent event(Sequence sequence) {
    return SomeEvent(sequence, sequence % 7 == 0 ? 70000 : 300);
}

ByteVector decisions_of(Sequence sequence) {
    return sequence % 5 == 0 ? some_bytes(sequence + 1000, 40) : ByteVector{};
}

Refusal refusal(std::uint64_t number) {
    return some_refusal("z", {1, number});
}

ByteVector state_of(Sequence sequence) {
    return some_bytes(sequence + 2000, 500);
}

}  // namespace

std::string to_string(const Extent& extent) {
    return std::to_string(extent.events) + " events, " + std::to_string(extent.refusals) +
           " refusals, checkpoint of event " + std::to_string(extent.checkpoint);
}

void CrashStream::open() {
    if (created_ || disk_.contains(path_)) {
        recording_ = Recording::open(path_, settings_, disk_);
    } else {
        recording_ = Recording::create(path_, "c", settings_, disk_);
    }
    created_ = true;
    written_ = committed_;
    pending_checkpoint_ = 0;
}

void CrashStream::append(Sequence count) {
    for (Sequence i = 0; i < count; ++i) {
        const SomeEvent next = event(written_.events + 1);
        test::append(*recording_, next, decisions_of(next.sequence));
        ++written_.events;
    }
}

void CrashStream::refuse() {
    recording_->refuse(refusal(written_.refusals + 1));
    ++written_.refusals;
}

void CrashStream::begin_checkpoint() {
    if (written_.events == 0) return;
    recording_->begin_checkpoint({written_.events, state_of(written_.events), {{"t", {written_.events, 1}}}});
    pending_checkpoint_ = written_.events;
}

void CrashStream::commit() {
    if (pending_checkpoint_ != 0) written_.checkpoint = std::exchange(pending_checkpoint_, 0);
    begun_ = written_;
    recording_->flush();
    committed_ = written_;
    begun_.reset();
}

void CrashStream::step(Random& random) {
    switch (random() % 8) {
        case 0:
            return refuse();
        case 1:
            return begin_checkpoint();
        case 2:
        case 3:
        case 4:
            return append(1 + random() % 3);
        case 5:
            if (random() % 4 != 0) return commit();
            close();
            return open();
        default:
            return commit();
    }
}

std::string CrashStream::verify() {
    close();
    try {
        if (!disk_.contains(path_)) return created_ ? "the recording is gone" : "";
        if (std::string problem = compare(Recording::open_read_only(path_, disk_)); !problem.empty()) return problem;
        Recording writer = Recording::open(path_, settings_, disk_);
        return compare(writer);
    } catch (const RecordingError& error) {
        return error.what();
    }
}

std::string CrashStream::compare(const Recording& found) {
    const auto checkpoint = found.newest_checkpoint();
    const Extent extent{found.last_sequence(), found.refused_count(), checkpoint ? checkpoint->sequence : 0};
    if (extent != committed_ && extent != begun_) {
        return "found " + to_string(extent) + "; committed were " + to_string(committed_) +
               (begun_ ? ", being committed " + to_string(*begun_) : "");
    }
    committed_ = written_ = extent;
    begun_.reset();

    Sequence next = found.first_sequence();
    if (next > extent.checkpoint + 1) return "event " + std::to_string(next - 1) + ", not in a checkpoint, is gone";
    std::string problem;
    if (extent.events > 0) {
        found.for_each_event(next, [&](const RecordedEvent& e) {
            const SomeEvent expected = event(next);
            const bool same = e.sequence == next && e.producer == expected.producer && e.mark == expected.mark &&
                              e.message == expected.message && e.decisions == decisions_of(next);
            if (!same) problem = "event " + std::to_string(next) + " is another one";
            ++next;
            return same;
        });
        if (problem.empty() && next != extent.events + 1) problem = "event " + std::to_string(next) + " is gone";
    }
    if (checkpoint && checkpoint->state != state_of(extent.checkpoint)) problem = "the checkpoint is another one";
    for (std::uint64_t number = 1; number <= extent.refusals; ++number) {
        if (!found.find_refusal("z", refusal(number).mark)) {
            problem = "refusal " + std::to_string(number) + " is gone";
        }
    }
    return problem;
}

}  // namespace fairstream::log::sqlite::test
