/// The table of texts against std::unordered_map, with texts that fill its buckets by construction.

#include <gtest/gtest.h>

#include <string>
#include <unordered_map>
#include <vector>

#include <fairstream/data/detail/text_table.hpp>
#include <fairstream/numeric/detail/random.hpp>

namespace fairstream::test {
namespace {

/// A table of at least `buckets` buckets, whose numbers stand for texts, beside the map it must agree with.
class Tables {
public:
    Tables(std::size_t numbers, std::size_t capacity) : table_(capacity), texts_(numbers) {
        while (numbers > 0) free_.push_back(static_cast<std::uint32_t>(--numbers));
    }
    [[nodiscard]] bool full() const { return free_.empty(); }
    [[nodiscard]] std::uint32_t find(const std::string& text) const {
        return table_.find(TextTable::hash(text), text,
                           [&](std::uint32_t number) { return std::string_view(texts_.at(number)); });
    }
    [[nodiscard]] bool agrees_on(const std::string& text) const {
        const auto at = map_.find(text);
        return find(text) == (at == map_.end() ? TextTable::none : at->second);
    }
    void toggle(const std::string& text) {
        if (const auto at = map_.find(text); at != map_.end()) {
            table_.erase(TextTable::hash(text), text, at->second);
            free_.push_back(at->second);
            map_.erase(at);
        } else if (!full()) {
            texts_.at(free_.back()) = text;
            table_.insert(TextTable::hash(text), text, free_.back());
            map_.emplace(text, free_.back());
            free_.pop_back();
        }
    }

private:
    TextTable table_;
    std::vector<std::string> texts_;
    std::vector<std::uint32_t> free_;
    std::unordered_map<std::string, std::uint32_t> map_;
};

void expect_agreement(Tables& tables, const std::vector<std::string>& pool, std::uint64_t seed) {
    Random random(seed);
    for (int step = 0; step < 20'000; ++step) {
        tables.toggle(pool[random.below(static_cast<std::uint32_t>(pool.size()))]);
        ASSERT_TRUE(tables.agrees_on(pool[random.below(static_cast<std::uint32_t>(pool.size()))]));
    }
    for (const std::string& text : pool) ASSERT_TRUE(tables.agrees_on(text));
}

std::vector<std::string> texts(std::size_t count) {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back("text " + std::to_string(i));
    return all;
}

TEST(TextTable, AgreesWithAMapUnderSpreadTexts) {
    Tables tables(1000, 1000);
    expect_agreement(tables, texts(1500), 1);
}

TEST(TextTable, AgreesWithAMapWhenItsBucketsOverflow) {
    Tables tables(300, 1);
    expect_agreement(tables, texts(400), 2);
}

TEST(TextTable, AgreesWithMapInSharedBucket) {
    constexpr std::uint32_t buckets = 256;
    std::vector<std::string> pool;
    for (std::size_t i = 0; pool.size() < 200; ++i)
        if (std::string text = "text " + std::to_string(i); TextTable::hash(text) % buckets == 5)
            pool.push_back(std::move(text));
    Tables tables(1000, 1000);
    expect_agreement(tables, pool, 3);
}

}  // namespace
}  // namespace fairstream::test
