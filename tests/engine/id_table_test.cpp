/// The table of ids against std::unordered_map, with ids that collide by construction.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include <fairstream/data/detail/id_table.hpp>
#include <fairstream/numeric/detail/random.hpp>

namespace fairstream::test {
namespace {

constexpr std::array<std::uint64_t, 2> key{0x243f6a8885a308d3, 0x13198a2e03707344};
constexpr std::size_t bucket_width = 7;

// Ids whose hashes end in these bits, and so begin their search at the same bucket of any table with at most 2^bits
// buckets.
std::vector<PointId> ids_ending_in(std::uint32_t ending, unsigned bits, std::size_t count, PointId from = 0) {
    const IdTable hashes(1, key);
    std::vector<PointId> ids;
    for (PointId id = from; ids.size() < count; ++id)
        if ((hashes.hash(id) & ((1U << bits) - 1)) == ending) ids.push_back(id);
    return ids;
}

// Pairs of ids with equal hashes, all 32 bits of them: among 2^18 ids about 2^36 / 2 / 2^32 = 8.
std::vector<PointId> ids_of_equal_hash() {
    const IdTable hashes(1, key);
    std::vector<std::pair<std::uint32_t, PointId>> all;
    for (PointId id = 0; id < (1U << 18); ++id) all.emplace_back(hashes.hash(id), id);
    std::ranges::sort(all);
    std::vector<PointId> twins;
    for (std::size_t i = 1; i < all.size(); ++i)
        if (all[i].first == all[i - 1].first) twins.insert(twins.end(), {all[i - 1].second, all[i].second});
    return twins;
}

// A table with the ids it refers to by slot, as the window keeps them, beside the map it must agree with.
class Tables {
public:
    explicit Tables(Slot capacity) : table_(capacity, key), ids_(capacity, no_point) {
        for (Slot slot = capacity; slot-- > 0;) free_.push_back(slot);
    }
    [[nodiscard]] bool full() const { return free_.empty(); }
    [[nodiscard]] std::size_t size() const { return map_.size(); }
    [[nodiscard]] bool has(PointId id) const { return map_.contains(id); }
    [[nodiscard]] Slot find(PointId id) const { return table_.find(table_.hash(id), id, ids_); }
    [[nodiscard]] bool agrees_on(PointId id) const {
        const auto at = map_.find(id);
        return find(id) == (at == map_.end() ? IdTable::none : at->second);
    }
    void insert(PointId id) {
        const Slot slot = free_.back();
        free_.pop_back();
        ids_[slot] = id;
        map_[id] = slot;
        table_.insert(table_.hash(id), slot);
    }
    void erase(PointId id) {
        const Slot slot = map_.at(id);
        table_.erase(table_.hash(id), slot);
        map_.erase(id);
        ids_[slot] = no_point;
        free_.push_back(slot);
    }

private:
    IdTable table_;
    std::vector<PointId> ids_;
    std::vector<Slot> free_;
    std::unordered_map<PointId, Slot> map_;
};

// Inserts and erases at random, sometimes looking up every id of `pool`. `fill` is the share of steps that insert.
void run(Slot capacity, const std::vector<PointId>& pool, int steps, double fill, std::uint64_t seed) {
    Tables tables(capacity);
    Random random(seed);
    for (int step = 0; step < steps; ++step) {
        const PointId id = pool[random.below(static_cast<std::uint32_t>(pool.size()))];
        ASSERT_TRUE(tables.agrees_on(id)) << "id " << id << " at step " << step;
        if (tables.has(id)) {
            if (random.unit() >= fill || tables.full()) tables.erase(id);
        } else if (!tables.full() && random.unit() < fill) {
            tables.insert(id);
        }
        if (step % 16 != 0) continue;
        for (const PointId each : pool) ASSERT_TRUE(tables.agrees_on(each)) << "id " << each << " at step " << step;
    }
    for (const PointId each : pool)
        if (tables.has(each)) tables.erase(each);
    for (const PointId each : pool) ASSERT_EQ(tables.find(each), IdTable::none);
}

TEST(IdTable, AgreesWithAMapUnderSpreadIds) {
    std::vector<PointId> pool;
    for (PointId id = 0; id < 300; ++id) pool.push_back(id * 0x9e3779b97f4a7c15U);
    for (const Slot capacity : {1U, 2U, 8U, 11U, 100U, 200U})
        for (const double fill : {0.5, 0.9}) ASSERT_NO_FATAL_FAILURE(run(capacity, pool, 3000, fill, capacity));
}

// All ids begin at one bucket: every one beyond the seventh spills, over several buckets.
TEST(IdTable, AgreesWithMapInSharedBucket) {
    const std::vector<PointId> pool = ids_ending_in(0x155, 9, 150);
    for (const Slot capacity : {8U, 23U, 100U, 140U})
        for (const double fill : {0.5, 0.9}) ASSERT_NO_FATAL_FAILURE(run(capacity, pool, 3000, fill, capacity));
}

// All ids begin at the last bucket or the one before it: spills go on at the first.
TEST(IdTable, AgreesWithAMapWhenSpillsWrapAround) {
    std::vector<PointId> pool = ids_ending_in(0x1ff, 9, 100);
    const std::vector<PointId> before = ids_ending_in(0x1fe, 9, 60), first = ids_ending_in(0, 9, 20);
    pool.insert(pool.end(), before.begin(), before.end());
    pool.insert(pool.end(), first.begin(), first.end());
    for (const Slot capacity : {8U, 23U, 100U, 150U})
        for (const double fill : {0.5, 0.9}) ASSERT_NO_FATAL_FAILURE(run(capacity, pool, 3000, fill, capacity));
}

TEST(IdTable, TellsIdsOfEqualHashApart) {
    const std::vector<PointId> pool = ids_of_equal_hash();
    ASSERT_GE(pool.size(), 2U);
    for (const Slot capacity : {2U, 12U, 64U}) ASSERT_NO_FATAL_FAILURE(run(capacity, pool, 2000, 0.6, capacity));
}

// The home of an id must not depend on the order in which its neighbours came and went: fill, then erase first-in
// first-out.
TEST(IdTable, EmptiesInAnyOrder) {
    const std::vector<PointId> pool = ids_ending_in(0x1ff, 9, 100);
    for (const bool oldest_first : {true, false}) {
        Tables tables(100);
        for (const PointId id : pool) tables.insert(id);
        for (std::size_t i = 0; i < pool.size(); ++i) {
            tables.erase(pool[oldest_first ? i : pool.size() - 1 - i]);
            for (const PointId id : pool) ASSERT_TRUE(tables.agrees_on(id));
        }
        EXPECT_EQ(tables.size(), 0U);
    }
}

// Eleven ids fill four buckets so that an id has spilled past each of them. A search for an absent id then goes all
// around, and must still end.
TEST(IdTable, SearchEndsAfterFullSpill) {
    Tables tables(11);
    std::vector<PointId> visitors[4];
    for (std::uint32_t home = 0; home < 4; ++home) visitors[home] = ids_ending_in(home, 2, bucket_width + 3);
    std::vector<PointId> spilled;
    for (std::uint32_t home = 0; home < 4; ++home) {
        // One lane of every bucket but the first holds the id that spilled from the bucket before.
        const std::size_t room = bucket_width - (home == 0 ? 0 : 1);
        for (std::size_t i = 0; i < room; ++i) tables.insert(visitors[home][i]);
        tables.insert(visitors[home][room]);
        spilled.push_back(visitors[home][room]);
        for (std::size_t i = 0; i < room; ++i) tables.erase(visitors[home][i]);
    }
    ASSERT_EQ(tables.size(), 4U);
    for (const PointId id : spilled) EXPECT_TRUE(tables.agrees_on(id));
    for (std::uint32_t home = 0; home < 4; ++home) EXPECT_EQ(tables.find(visitors[home].back()), IdTable::none);
}

// Past one bucket have spilled as many ids as a 16-bit counter reads as none.
TEST(IdTable, SpillsAreCountedHoweverManyThereAre) {
    constexpr Slot capacity = 100'000;  // 2^15 buckets
    constexpr std::uint32_t homes = 128;
    constexpr std::size_t count = homes * bucket_width + 65'536;  // past bucket 127 all but what the first 128 hold
    const IdTable hashes(1, key);
    Tables tables(capacity);
    std::vector<PointId> ids;
    for (PointId id = 0; ids.size() < count; ++id)
        if ((hashes.hash(id) & 0x7fff) < homes) ids.push_back(id);
    for (const PointId id : ids) tables.insert(id);
    for (std::size_t i = 0; i < count; i += 499) ASSERT_TRUE(tables.agrees_on(ids[i])) << i;
}

}  // namespace
}  // namespace fairstream::test
