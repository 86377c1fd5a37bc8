#pragma once
/// Seeded random messages with columns of random lengths.

#include <random>

#include "wire/samples.hpp"

namespace fairstream::wire::test {

/// Owns the columns of the message it made last.
class RandomMessages {
public:
    explicit RandomMessages(std::uint64_t seed) : random_(seed) {}
    /// Returns a message of a random kind, valid until the next call.
    [[nodiscard]] Message next();

private:
    [[nodiscard]] std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
    [[nodiscard]] double real() { return static_cast<double>(random_()) / 1e19; }
    [[nodiscard]] std::string name(std::size_t least, std::size_t most);
    template <class T> std::span<const T> column(std::vector<T>& out, std::size_t size);
    [[nodiscard]] RecordingId recording();
    [[nodiscard]] Event event();
    [[nodiscard]] KnobChange knob() { return {name(1, 64), name(1, 64), name(0, 200)}; }
    [[nodiscard]] Refinement refinement() { return {name(1, 64), static_cast<std::int64_t>(random_())}; }
    [[nodiscard]] Nack nack();
    [[nodiscard]] StreamFormat format();
    [[nodiscard]] files::ReaderSettings reader_settings(std::size_t columns);
    [[nodiscard]] FairnessReport fairness();
    [[nodiscard]] GroupMetrics groups();
    [[nodiscard]] ClusterReport clusters();
    TextSpan texts(std::size_t n);
    [[nodiscard]] FrontReport front();
    [[nodiscard]] NetworkReport network();
    [[nodiscard]] Publication publication();
    [[nodiscard]] decltype(ControlRequest::body) request();
    [[nodiscard]] decltype(ControlReply::body) reply();

    std::mt19937_64 random_;
    std::vector<PointId> ids_, departed_;
    std::vector<double> weights_;
    std::vector<float> features_, targets_;
    std::vector<GroupId> groups_;
    std::vector<ClusterId> labels_;
    std::vector<Score> scores_;
    std::vector<std::uint8_t> provisional_;
    TextColumn texts_;
    std::vector<std::vector<std::byte>> blobs_;
};

}  // namespace fairstream::wire::test
