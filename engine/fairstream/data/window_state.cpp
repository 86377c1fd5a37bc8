// The state of a window in a checkpoint, and the comparison of two.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fairstream/base/archive.hpp>
#include <fairstream/base/number_text.hpp>
#include <fairstream/data/detail/window_parts.hpp>
#include <fairstream/data/window.hpp>

namespace fairstream {

void Window::put(const PointBatch& points) {
    constexpr double least = 0x1p-301, largest = 0x1p151;  // range of decayed weights in an earlier unit
    Parts& p = *parts_;
    PointBatch unweighted = points;
    unweighted.weights = {};
    validate(unweighted);
    if (points.weights.size() != (weights_.empty() ? 0 : points.size()))
        throw InvalidInput(Reason::bad_weight, "the weights do not match the points");
    for (const double weight : points.weights)
        if (!(weight >= least && weight <= largest))
            throw InvalidInput(Reason::bad_weight, "the weight of a point is " + number_text(weight));
    size_ = static_cast<Slot>(points.size());
    std::ranges::copy(points.ids, ids_.begin());
    std::ranges::copy(points.features, features_.begin());
    std::ranges::copy(points.groups, groups_.begin());
    std::ranges::copy(points.targets, targets_.begin());
    std::ranges::copy(points.weights, weights_.begin());
    for (Slot slot = 0; slot < size_; ++slot) p.table.insert(p.table.hash(ids_[slot]), slot);
}

namespace {

// Two unknown targets are equal.
bool same_target(float a, float b) {
    return a == b || (std::isnan(a) && std::isnan(b));
}

}  // namespace

bool Window::operator==(const Window& other) const {
    const Parts& p = *parts_;
    const Parts& o = *other.parts_;
    return p.format == o.format && p.options == o.options && p.seen == o.seen && p.random.words() == o.random.words() &&
           size_ == other.size_ && ids_ == other.ids_ && features_ == other.features_ && groups_ == other.groups_ &&
           std::ranges::equal(targets_, other.targets_, same_target) && weights_ == other.weights_ &&
           (!p.keeps_time() || p.arrivals == o.arrivals) && p.now == o.now && p.decay.landmark == o.decay.landmark &&
           p.ages.oldest_first() == o.ages.oldest_first() && (!p.has_max_age() || times() == other.times());
}

std::vector<std::int64_t> Window::times() const {
    std::vector<std::int64_t> times;
    for (Slot slot = 0; slot < size_; ++slot) times.push_back(time(slot));
    return times;
}

void Window::save(StateWriter& writer) const {
    const PointBatch kept = points();
    writer(1, parts_->seen);
    writer(2, parts_->random.words());
    writer(3, kept.ids);
    writer(4, kept.features);
    writer(5, kept.groups);
    writer(6, kept.targets);
    const Parts& p = *parts_;
    if (p.format.has_weights) writer(7, kept.weights);
    if (p.decays()) {
        writer(8, p.decay.landmark);
        writer(9, p.decay.begun);
    }
    // A retained id that comes again counts in `taken` but not in `seen`, which counts new points.
    if (p.keeps_time() || p.arrivals.taken != p.seen) {
        writer(10, p.now);
        writer(11, p.arrivals.taken);
        writer(12, p.arrivals.late);
    }
    if (p.has_max_age()) writer(13, times());
    if (p.keeps_order()) writer(14, p.ages.oldest_first());
}

void Window::load(StateReader& reader) {
    Window loaded(format(), options());
    Parts& p = *loaded.parts_;
    PointColumns kept;
    Random::Words words{};
    reader(1, p.seen);
    reader(2, words);
    reader(3, kept.ids);
    reader(4, kept.features);
    reader(5, kept.groups);
    reader(6, kept.targets);
    if (!Random::is_valid_state(words)) StateReader::fail("the window's generator has an even increment");
    p.random = Random(words);
    constexpr std::uint64_t no_stream_is_longer = std::uint64_t{1} << 63;  // the count must never wrap to 0
    if (kept.ids.size() > capacity_ || kept.ids.size() > p.seen ||
        (kept.ids.size() < capacity_ && kept.ids.size() != p.seen && !p.has_max_age() && !reader.has(14) &&
         p.options.policy != WindowPolicy::reservoir) ||
        p.seen > no_stream_is_longer)
        StateReader::fail("the window holds an impossible number of points");
    if (p.format.has_weights) reader(7, kept.weights);
    try {
        loaded.put(kept.view());
    } catch (const InvalidInput& error) {
        StateReader::fail(std::string("the window holds an invalid point: ") + error.what());
    }
    loaded.load_clock(reader);
    loaded.load_order(reader);
    if (loaded.size_ > 0 && loaded.size_ == capacity_) p.oldest = static_cast<Slot>(p.seen % loaded.size_);
    *this = std::move(loaded);
}

void Window::load_clock(StateReader& reader) {
    Parts& p = *parts_;
    if (p.decays()) {
        reader(8, p.decay.landmark);
        reader(9, p.decay.begun);
        if (!(std::abs(p.decay.landmark) <= 0x1p63))
            StateReader::fail("the unit of the window's weights is out of range");
    }
    if (!p.keeps_time() && !reader.has(10)) {
        p.arrivals.taken = p.seen;
        return;
    }
    reader(10, p.now);
    reader(11, p.arrivals.taken);
    reader(12, p.arrivals.late);
    if (p.arrivals.taken < p.seen) StateReader::fail("the window holds more points than arrived");
}

void Window::load_order(StateReader& reader) {
    Parts& p = *parts_;
    if (!p.has_max_age() && (!reader.has(14) || p.options.policy == WindowPolicy::reservoir)) return;
    if (!p.keeps_order()) p.ages = AgeOrder(capacity_);
    std::vector<Slot> order;
    reader(14, order);
    std::vector<bool> listed(size_);
    for (const Slot slot : order) {
        if (slot >= size_ || listed[slot])
            StateReader::fail("the order of the window's points does not list each point once");
        listed[slot] = true;
        p.ages.append(slot);
    }
    if (order.size() != size_) StateReader::fail("the order of the window's points does not list each point once");
    if (p.has_max_age()) load_times(reader);
}

void Window::load_times(StateReader& reader) {
    Parts& p = *parts_;
    std::vector<std::int64_t> times;
    reader(13, times);
    if (times.size() != size_) StateReader::fail("the window's times do not match its points");
    for (Slot slot = 0; slot < size_; ++slot) {
        if (times[slot] > p.now || p.is_late(times[slot]))
            StateReader::fail("the time of a point is outside the window");
        p.ages.note_time({&slot, 1}, times[slot]);
    }
}

}  // namespace fairstream
