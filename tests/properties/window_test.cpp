/// A window under sequences of batches, refusals, copies and saves, against the slow window of its own tests.

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <rapidcheck/gtest.h>  // needs the first

#include <ostream>
#include <vector>

#include <fairstream/data/window.hpp>

#include "engine/window_oracle.hpp"

namespace fairstream::test {
namespace {

constexpr PointId most_ids = 12;  // few, so that points leave and come again
constexpr Slot most_slots = 8;

/// An operation on a window. A failing one shrinks to a batch without points.
struct Step {
    enum Kind { take, refuse, copy, save };
    Kind kind = take;
    std::vector<PointId> drawn;  // ids to choose from; the batch has each at most once
    std::size_t most = 0;        // most points in the batch
    [[nodiscard]] std::vector<PointId> ids() const {
        std::vector<PointId> ids;
        for (const PointId id : drawn)
            if (ids.size() < most && std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
        return ids;
    }
    friend std::ostream& operator<<(std::ostream& out, const Step& step) {
        out << std::vector{"take", "refuse", "copy", "save"}[step.kind];
        for (const PointId id : step.ids()) out << ' ' << id;
        return out;
    }
};

rc::Gen<Step> step() {
    return rc::gen::build<Step>(
        rc::gen::set(&Step::kind, rc::gen::weightedElement<Step::Kind>(
                                      {{8, Step::take}, {1, Step::refuse}, {1, Step::copy}, {1, Step::save}})),
        rc::gen::set(&Step::drawn,
                     rc::gen::container<std::vector<PointId>>(most_slots, rc::gen::inRange<PointId>(0, most_ids))),
        rc::gen::set(&Step::most, rc::gen::inRange<std::size_t>(0, most_slots + 1)));
}

/// Points that no other batch of the sequence has: their values encode the numbers of batch and row.
PointColumns batch_of(const StreamFormat& format, const std::vector<PointId>& ids, std::size_t number) {
    PointColumns batch;
    batch.ids = ids;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const auto value = static_cast<float>(100 * number + i);
        for (std::uint32_t j = 0; j < format.dimensions; ++j) batch.features.push_back(value + 0.25F * float(j));
        for (const Attribute& attribute : format.attributes)
            batch.groups.push_back(static_cast<GroupId>((number + i) % attribute.groups.size()));
        if (format.has_targets) batch.targets.push_back(-value);
    }
    return batch;
}

StreamFormat some_format() {
    StreamFormat format{.dimensions = *rc::gen::inRange<std::uint32_t>(1, 4), .attributes = {}};
    const auto attributes = *rc::gen::inRange<std::size_t>(0, 3);
    for (std::size_t a = 0; a < attributes; ++a) format.attributes.push_back({std::to_string(a), {"x", "y", "z"}});
    format.has_targets = *rc::gen::arbitrary<bool>();
    return format;
}

void require_equal(const Window& window, const WindowOracle& oracle) {
    RC_ASSERT(retained(window) == oracle.slots());
    for (PointId id = 0; id < most_ids; ++id) RC_ASSERT(window.find(id) == oracle.find(id));
}

void take(const PointColumns& batch, Window& window, WindowOracle& oracle) {
    window.validate(batch.view());
    const WindowChange& change = window.apply(batch.view());
    const std::map<Slot, Point> found = listed(window.format(), change);
    RC_ASSERT(found.size() == change.written.size());
    RC_ASSERT(found == oracle.apply(batch.view()));
}

// Repeats an id in an otherwise valid batch.
void refuse(PointColumns batch, Window& window) {
    if (batch.ids.size() < 2) return;
    batch.ids.back() = batch.ids.front();
    const std::vector<std::byte> before = saved(window);
    bool refused = false;
    try {
        window.validate(batch.view());
    } catch (const InvalidInput&) {
        refused = true;
    }
    RC_ASSERT(refused);
    RC_ASSERT(saved(window) == before);
}

void is_as_the_oracle_says(WindowPolicy policy) {
    const StreamFormat format = some_format();
    const WindowOptions options{.capacity = *rc::gen::inRange<Slot>(1, most_slots + 1),
                                .policy = policy,
                                .seed = *rc::gen::inRange<std::uint64_t>(0, 1000)};
    const auto steps = *rc::gen::container<std::vector<Step>>(step());
    Window window(format, options);
    WindowOracle oracle(format, options);
    for (std::size_t number = 0; number < steps.size(); ++number) {
        std::vector<PointId> ids = steps[number].ids();
        ids.resize(std::min<std::size_t>(ids.size(), options.capacity));
        const PointColumns batch = batch_of(format, ids, number);
        Window other(format, options);
        switch (steps[number].kind) {
            case Step::take:
                take(batch, window, oracle);
                break;
            case Step::refuse:
                refuse(batch, window);
                break;
            case Step::copy:
                other = window;
                RC_ASSERT((other == window));
                window = std::move(other);
                break;
            case Step::save:
                restore(other, saved(window));
                RC_ASSERT((other == window));
                window = std::move(other);
                break;
        }
        require_equal(window, oracle);
    }
}

RC_GTEST_PROP(WindowProperties, ASlidingOneHoldsTheNewestPoints, ()) {
    is_as_the_oracle_says(WindowPolicy::sliding);
}
RC_GTEST_PROP(WindowProperties, AReservoirHoldsTheSampleOfAlgorithmR, ()) {
    is_as_the_oracle_says(WindowPolicy::reservoir);
}

}  // namespace
}  // namespace fairstream::test
