#include <fairstream/zmq/point_view.hpp>

#include <algorithm>
#include <utility>

namespace fairstream::zmq {

namespace {

template <class T>
ViewChanges<T> changes_of(const wire::Publication& publication, const wire::OutputUpdate<T>& update, bool replaced) {
    return {publication.sequence,
            publication.topic_sequence,
            replaced,
            {update.departed.begin(), update.departed.end()},
            {update.ids.begin(), update.ids.end()},
            {update.outputs.begin(), update.outputs.end()},
            {update.provisional.begin(), update.provisional.end()}};
}

// Returns whether two running hashes are known and differ, so that they belong to different recordings.
bool differ(std::uint64_t one, std::uint64_t other) {
    return one != 0 && other != 0 && one != other;
}

}  // namespace

template <class T> bool PointView<T>::complete() const noexcept {
    return viewed_ && viewed_ == followed_ && published_ <= topic_sequence_ && !needs_snapshot_ && !behind_since_;
}

template <class T> typename PointView<T>::Need PointView<T>::need() const noexcept {
    if (!unconfirmed_.empty()) return {.kind = Need::Kind::known, .known = unconfirmed_.front()};
    if (!viewed_ || needs_snapshot_) return {.kind = Need::Kind::snapshot};
    if (published_ <= topic_sequence_) return {};
    const std::uint64_t last = kept_.empty() ? published_ : kept_.begin()->first - 1;
    return {.kind = Need::Kind::range, .first = topic_sequence_ + 1, .last = last, .known = {}};
}

template <class T> void PointView<T>::on_update(const wire::Publication& update, const wire::AlignedMessage& message,
                                                std::vector<Changes>& changes) {
    const std::uint64_t number = update.topic_sequence;
    if (!readable(update) || number == 0) return unreadable();
    follow(update.recording);
    if (viewed_ && number <= topic_sequence_) {
        // Within one history a later event never has an earlier number on the topic.
        const bool same_history =
            update.sequence <= sequence_ && !(number == topic_sequence_ && differ(update.running_hash, hash_));
        if (same_history) {
            ++statistics_.repeated;
            return;
        }
        note_loss(sequence_);
        start_again();
    }
    if (viewed_ && number == topic_sequence_ + 1 && apply(update, changes)) {
        published_ = std::max(published_, number);
        apply_kept(changes);
        behind_since_.reset();
    } else {
        published_ = std::max(published_, number);
        keep(number, message);
    }
    count_gap();
}

template <class T> void PointView<T>::on_status(const wire::Publication& publication, Time now) {
    const auto* status = std::get_if<wire::Status>(&publication.body);
    if (!status) return unreadable();
    follow(publication.recording);
    const auto mark = std::ranges::find(status->topics, topic_, &wire::TopicMark::topic);
    if (mark == status->topics.end() || !viewed_) return;
    if (mark->topic_sequence >= topic_sequence_) {
        behind_since_.reset();
        const bool same_event = publication.sequence == newest_known_.sequence;
        if (mark->topic_sequence == topic_sequence_ &&
            (differ(mark->running_hash, hash_) ||
             (same_event && differ(publication.running_hash, newest_known_.running_hash)))) {
            note_loss(sequence_);
            return start_again();
        }
        published_ = std::max(published_, mark->topic_sequence);
        count_gap();
        note_status_event(publication.sequence, now);
        // No update followed the view's newest one: the outputs are unchanged up to this event.
        if (mark->topic_sequence == topic_sequence_ && publication.sequence > sequence_) {
            sequence_ = publication.sequence;
            if (std::exchange(newest_is_from_status_, true)) question_newest_known();
            newest_known_ = {publication.recording, publication.sequence, publication.running_hash};
        }
    } else if (!behind_since_) {
        behind_since_ = now;
        question_newest_known();
    } else if (now - *behind_since_ >= patience_) {
        question_newest_known();  // again: the engine may have gone back since
        start_again();
    }
}

/// Asks about the newest known event while statuses keep naming an earlier one. The first such status may have been
/// overtaken by a snapshot on the other connection.
template <class T> void PointView<T>::note_status_event(Sequence event, Time now) {
    if (event >= newest_known_.sequence) {
        earlier_since_.reset();
    } else if (!earlier_since_) {
        earlier_since_ = now;
    } else if (now - *earlier_since_ >= patience_) {
        earlier_since_ = now;
        question_newest_known();
    }
}

template <class T> void PointView<T>::on_snapshot(const wire::Publication& snapshot, std::vector<Changes>& changes) {
    if (!readable(snapshot)) return unreadable();
    // The snapshot comes from another engine than the arriving updates: one of the two connections still leads to a
    // replaced engine.
    if (followed_ && snapshot.recording != *followed_) return;
    if (viewed_ == snapshot.recording) {
        if (snapshot.topic_sequence < topic_sequence_) return;
        const bool is_newer = snapshot.topic_sequence > topic_sequence_;
        if (!is_newer && differ(snapshot.previous_hash, hash_)) {
            note_loss(sequence_);
            start_again();
        } else if (is_newer || newest_is_from_status_) {
            question_newest_known();
        }
    }
    const auto& all = std::get<Update>(snapshot.body);
    PointMap<T> outputs;
    outputs.set(all.ids, all.outputs);
    std::unordered_map<PointId, std::string> texts;
    add_texts(all, texts);
    changes.push_back(changes_of<T>(snapshot, all, true));
    outputs_ = std::move(outputs);
    id_texts_ = std::move(texts);
    viewed_ = snapshot.recording;
    topic_sequence_ = snapshot.topic_sequence;
    sequence_ = snapshot.sequence;
    hash_ = snapshot.previous_hash;
    newest_known_ = {snapshot.recording, snapshot.sequence, snapshot.running_hash};
    newest_is_from_status_ = false;
    needs_snapshot_ = false;
    ++statistics_.snapshots;
    apply_kept(changes);
    count_gap();
}

template <class T> void PointView<T>::on_range(const wire::Publications& range, std::vector<Changes>& changes) {
    if (!viewed_) return;
    const std::uint64_t before = topic_sequence_;
    wire::AlignedMessage message;
    for (const wire::Bytes bytes : range.messages) {
        try {
            message.assign(bytes);
            const wire::Publication update = wire::read_publication(message);
            if (!readable(update)) {
                unreadable();
            } else if (update.recording == *viewed_ && update.topic_sequence == topic_sequence_ + 1) {
                if (!apply(update, changes)) return;
            }
        } catch (const InvalidInput&) {
            unreadable();
        }
    }
    apply_kept(changes);
    if (topic_sequence_ > before) {
        ++statistics_.repairs;
    } else if (published_ > topic_sequence_) {
        needs_snapshot_ = true;
    }
}

template <class T> void PointView<T>::on_known_answer(bool has_it) {
    if (unconfirmed_.empty()) return;
    if (has_it) return unconfirmed_.pop_front();
    note_loss(unconfirmed_.front().sequence);
    start_again();
}

template <class T> void PointView<T>::note_loss(Sequence known) {
    loss_ = std::max(loss_.value_or(0), known);
    ++statistics_.losses;
    unconfirmed_.clear();
}

/// Queues a question: does the recording still have the newest known event? Later messages do not answer it.
template <class T> void PointView<T>::question_newest_known() {
    constexpr std::size_t most_unconfirmed = 16;
    if (newest_known_.running_hash != 0 && unconfirmed_.size() < most_unconfirmed)
        unconfirmed_.push_back(newest_known_);
}

/// Follows the recording of the arriving updates. If the recording changed, nothing kept so far belongs to the new one.
template <class T> void PointView<T>::follow(const wire::RecordingId& recording) {
    if (followed_ == recording) return;
    const bool another = followed_.has_value() || (viewed_ && *viewed_ != recording);
    followed_ = recording;
    if (!another) return;
    // The new recording has none of the earlier one's events, including the events that the engine was still asked
    // about.
    Sequence known = newest_known_.sequence;
    for (const wire::KnownEvent& event : unconfirmed_) known = std::max(known, event.sequence);
    if (known > 0) note_loss(known);
    start_again();
}

/// Restarts the view. The outputs stay readable until the snapshot arrives, but count as lagging.
template <class T> void PointView<T>::start_again() {
    ++statistics_.restarts;
    viewed_.reset();
    published_ = 0;
    needs_snapshot_ = false;
    in_gap_ = false;
    hash_ = 0;
    newest_known_ = {};
    newest_is_from_status_ = false;
    behind_since_.reset();
    earlier_since_.reset();
    drop_kept();
}

template <class T> void PointView<T>::count_gap() noexcept {
    const bool missing = viewed_ && published_ > topic_sequence_;
    statistics_.gaps += missing && !in_gap_;
    in_gap_ = missing;
}

template <class T> void PointView<T>::keep(std::uint64_t number, const wire::AlignedMessage& message) {
    if (!kept_.try_emplace(number, message).second) {
        ++statistics_.repeated;
        return;
    }
    kept_bytes_ += message.bytes().size();
    if (kept_.size() <= limits_.messages && kept_bytes_ <= limits_.bytes) return;
    drop_kept();
    needs_snapshot_ = true;
    ++statistics_.overflows;
}

template <class T> void PointView<T>::drop_kept() noexcept {
    kept_.clear();
    kept_bytes_ = 0;
}

/// Applies an update. Returns false when the update does not continue the view: the recording lost events, and the view
/// restarts.
template <class T> bool PointView<T>::apply(const wire::Publication& publication, std::vector<Changes>& changes) {
    // A status names the newest update at its event, so a later update must belong to a later event.
    const bool is_not_later = newest_is_from_status_ && publication.sequence <= newest_known_.sequence;
    if (differ(publication.previous_hash, hash_) || is_not_later) {
        note_loss(sequence_);
        start_again();
        return false;
    }
    if (std::exchange(newest_is_from_status_, false)) question_newest_known();
    const auto& update = std::get<Update>(publication.body);
    // Calls that can throw come first, so that an update is applied whole or not at all.
    changes.push_back(changes_of<T>(publication, update, false));
    outputs_.reserve(outputs_.size() + update.ids.size());
    if (!id_texts_.empty())
        for (const PointId id : update.departed) id_texts_.erase(id);
    add_texts(update, id_texts_);
    outputs_.erase(update.departed);
    outputs_.set(update.ids, update.outputs);
    topic_sequence_ = publication.topic_sequence;
    sequence_ = std::max(sequence_, publication.sequence);
    hash_ = publication.running_hash;
    newest_known_ = {publication.recording, publication.sequence, publication.running_hash};
    ++statistics_.applied;
    return true;
}

template <class T> void PointView<T>::add_texts(const Update& update, std::unordered_map<PointId, std::string>& texts) {
    for (std::size_t i = 0; i < update.id_texts.size(); ++i)
        texts.insert_or_assign(update.ids[i], std::string(update.id_texts[i]));
}

/// Applies kept updates as far as they continue the view, and drops updates that the view already has.
template <class T> void PointView<T>::apply_kept(std::vector<Changes>& changes) {
    while (!kept_.empty() && kept_.begin()->first <= topic_sequence_ + 1) {
        const auto oldest = kept_.extract(kept_.begin());
        kept_bytes_ -= oldest.mapped().bytes().size();
        if (oldest.key() == topic_sequence_ + 1 && !apply(wire::read_publication(oldest.mapped()), changes)) return;
    }
    if (published_ <= topic_sequence_) needs_snapshot_ = in_gap_ = false;
}

/// Returns whether `publication` is a valid update of the topic. Checked first, so that nothing is applied in part.
template <class T> bool PointView<T>::readable(const wire::Publication& publication) const {
    const auto* update = std::get_if<Update>(&publication.body);
    return update && publication.topic == topic_ && std::ranges::find(update->ids, no_point) == update->ids.end() &&
           std::ranges::all_of(update->outputs, wire::PointOutput<T>::is_valid);
}

#define FAIRSTREAM_INSTANTIATE(T) template class PointView<T>;
FAIRSTREAM_EACH_POINT_OUTPUT(FAIRSTREAM_INSTANTIATE)
#undef FAIRSTREAM_INSTANTIATE

}  // namespace fairstream::zmq
