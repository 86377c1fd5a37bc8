/// Messages written by this version of the schema stay readable for ever, and are written the same as long as it lives.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "wire/samples.hpp"

namespace fairstream::wire {
namespace {

using namespace test;

const std::filesystem::path fixtures = std::filesystem::path(FAIRSTREAM_SOURCE_DIR) / "tests" / "wire" / "fixtures";
const std::filesystem::path first_version = fixtures / "v1";
// Of the messages whose structs have grown since.
const std::filesystem::path second_version = fixtures / "v2";
const std::filesystem::path third_version = fixtures / "v3";
const std::filesystem::path fourth_version = fixtures / "v4";
const std::filesystem::path fifth_version = fixtures / "v5";

std::vector<std::byte> fixture(const std::filesystem::path& folder, const std::string& name) {
    std::ifstream file(folder / (name + ".bin"), std::ios::binary);
    EXPECT_TRUE(file) << name << ".bin is missing: `write_wire_fixtures " << folder.string() << "` writes it";
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    const auto view = std::as_bytes(std::span(bytes));
    return {view.begin(), view.end()};
}

template <class... T> void add_kinds(std::set<std::string>& kinds, const char* family, const std::variant<T...>& body) {
    kinds.insert(std::string(family) + std::to_string(body.index()) + " of " + std::to_string(sizeof...(T)));
}

TEST(Samples, CoverEveryAlternativeOfEveryMessage) {
    std::set<std::string> kinds;
    for (const Sample& sample : samples()) {
        if (const auto* request = std::get_if<IngestRequest>(&sample.message)) {
            add_kinds(kinds, "ingest request ", *request);
            if (const auto* event = std::get_if<EventMessage>(request)) add_kinds(kinds, "event ", event->event);
        } else if (const auto* reply = std::get_if<IngestReply>(&sample.message)) {
            add_kinds(kinds, "ingest reply ", reply->body);
        } else if (const auto* publication = std::get_if<Publication>(&sample.message)) {
            add_kinds(kinds, "publication ", publication->body);
        } else if (const auto* question = std::get_if<ControlRequest>(&sample.message)) {
            add_kinds(kinds, "control request ", question->body);
        } else {
            add_kinds(kinds, "control reply ", std::get<ControlReply>(sample.message).body);
        }
    }
    constexpr std::size_t alternatives =
        std::variant_size_v<IngestRequest> + std::variant_size_v<Event> +
        std::variant_size_v<decltype(IngestReply::body)> + std::variant_size_v<decltype(Publication::body)> +
        std::variant_size_v<decltype(ControlRequest::body)> + std::variant_size_v<decltype(ControlReply::body)>;
    EXPECT_EQ(kinds.size(), alternatives) << testing::PrintToString(kinds);
}

TEST(Fixtures, StayReadableWithTheValuesTheyWereWrittenWith) {
    for (const Sample& sample : samples()) {
        const AlignedMessage message(fixture(first_version, sample.name));
        EXPECT_EQ(show(read_like(sample.message, message)), show(as_first_written(sample.message))) << sample.name;
        if (has_grown(sample, 2)) {
            const AlignedMessage second(fixture(second_version, sample.name));
            EXPECT_EQ(show(read_like(sample.message, second)), show(as_second_written(sample.message))) << sample.name;
        }
        if (has_grown(sample, 3)) {
            const AlignedMessage third(fixture(third_version, sample.name));
            EXPECT_EQ(show(read_like(sample.message, third)), show(as_third_written(sample.message))) << sample.name;
        }
        if (has_grown(sample, 4)) {
            const AlignedMessage fourth(fixture(fourth_version, sample.name));
            EXPECT_EQ(show(read_like(sample.message, fourth)), show(as_fourth_written(sample.message))) << sample.name;
        }
        if (has_grown(sample, 5)) {
            const AlignedMessage fifth(fixture(fifth_version, sample.name));
            EXPECT_EQ(show(read_like(sample.message, fifth)), show(sample.message)) << sample.name;
        }
    }
}

TEST(Fixtures, AreWhatTodaysWriterWrites) {
    for (const Sample& sample : samples())
        EXPECT_EQ(encoded(sample.message), fixture(has_grown(sample, 5)   ? fifth_version
                                                   : has_grown(sample, 4) ? fourth_version
                                                   : has_grown(sample, 3) ? third_version
                                                   : has_grown(sample, 2) ? second_version
                                                                          : first_version,
                                                   sample.name))
            << sample.name;
}

TEST(Fixtures, AreAllTested) {
    std::set<std::string> names, second, third, fourth, fifth;
    for (const Sample& sample : samples()) {
        names.insert(sample.name + ".bin");
        if (has_grown(sample, 2)) second.insert(sample.name + ".bin");
        if (has_grown(sample, 3)) third.insert(sample.name + ".bin");
        if (has_grown(sample, 4)) fourth.insert(sample.name + ".bin");
        if (has_grown(sample, 5)) fifth.insert(sample.name + ".bin");
    }
    const auto files_of = [](const std::filesystem::path& folder) {
        std::set<std::string> files;
        for (const auto& entry : std::filesystem::directory_iterator(folder)) files.insert(entry.path().filename());
        return files;
    };
    EXPECT_EQ(files_of(first_version), names);
    EXPECT_EQ(files_of(second_version), second);
    EXPECT_EQ(files_of(third_version), third);
    EXPECT_EQ(files_of(fourth_version), fourth);
    EXPECT_EQ(files_of(fifth_version), fifth);
}

}  // namespace
}  // namespace fairstream::wire
