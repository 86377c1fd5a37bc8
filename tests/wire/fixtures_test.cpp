/// Messages written with this version of the schema stay readable for ever, and are written identically as long as it
/// is the newest.

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
std::filesystem::path folder_of(int version) {
    return fixtures / ("v" + std::to_string(version));
}

std::vector<std::byte> fixture(int version, const std::string& name) {
    const std::filesystem::path folder = folder_of(version);
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

TEST(Fixtures, StayReadable) {
    for (const Sample& sample : samples())
        for (int version = 1; version <= newest_version; ++version) {
            if (version > 1 && !has_grown(sample, version)) continue;
            const AlignedMessage message(fixture(version, sample.name));
            EXPECT_EQ(show(read_like(sample.message, message)), show(as_written(sample.message, version)))
                << sample.name << " of version " << version;
        }
}

TEST(Fixtures, AreWhatTodaysWriterWrites) {
    for (const Sample& sample : samples())
        EXPECT_EQ(encoded(sample.message), fixture(last_grown(sample), sample.name)) << sample.name;
}

TEST(Fixtures, AreAllTested) {
    for (int version = 1; version <= newest_version; ++version) {
        std::set<std::string> names, files;
        for (const Sample& sample : samples())
            if (version == 1 || has_grown(sample, version)) names.insert(sample.name + ".bin");
        for (const auto& entry : std::filesystem::directory_iterator(folder_of(version)))
            files.insert(entry.path().filename());
        EXPECT_EQ(files, names) << version;
    }
}

}  // namespace
}  // namespace fairstream::wire
