#pragma once
/// The stream that the benchmark programs send: points made by `ingest.py`, read from two raw files.

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <fairstream/engine.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>

namespace fairstream::benchmarks {

inline constexpr std::size_t batch_size = 1024;
inline constexpr Slot window_capacity = 100'000;
inline constexpr std::uint64_t id_seed = 7;

enum class Ids : std::uint8_t { random, sequential };

/// n float32 or uint16 values as they lie in memory.
template <class T> std::vector<T> read_raw(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::vector<T> values(file ? std::filesystem::file_size(path) / sizeof(T) : 0);
    const auto bytes = static_cast<std::streamsize>(values.size() * sizeof(T));
    if (!file.read(reinterpret_cast<char*>(values.data()), bytes)) throw std::runtime_error("cannot read " + path);
    return values;
}

/// Points with one attribute of two groups.
struct Stream {
    std::uint32_t dimensions;
    std::vector<float> features;  ///< n x d
    std::vector<GroupId> groups;  ///< n, or empty: a stream without attributes
    std::vector<PointId> ids;     ///< n

    Stream(const std::string& features_file, const std::string& groups_file, std::uint32_t d)
        : dimensions(d), features(read_raw<float>(features_file)), groups(read_raw<GroupId>(groups_file)) {
        if (d == 0 || features.size() != groups.size() * d || groups.size() < 2 * window_capacity)
            throw std::runtime_error(features_file + " and " + groups_file +
                                     " do not agree with each other, or hold too few points");
        number(Ids::random);
    }
    void number(Ids kind) {
        ids.resize(features.size() / dimensions);
        std::mt19937_64 random(id_seed);
        for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = kind == Ids::random ? random() : i;
    }
    [[nodiscard]] std::size_t batches() const { return ids.size() / batch_size; }
    [[nodiscard]] PointBatch batch(std::size_t b) const {
        const std::size_t first = b * batch_size;
        return {std::span(ids).subspan(first, batch_size),
                std::span(features).subspan(first * dimensions, batch_size * dimensions),
                groups.empty() ? std::span(groups) : std::span(groups).subspan(first, batch_size),
                {}};
    }
};

inline StreamFormat stream_format(std::uint32_t dimensions) {
    return {.dimensions = dimensions, .attributes = {{"group", {"first", "second"}}}, .has_targets = false};
}

inline safairkm::Options model_options(int clusters, int kmeans_updates, int swaps) {
    safairkm::Options options;
    options.clusters = clusters;
    options.kmeans_updates = kmeans_updates;
    options.swaps = swaps;
    options.candidates = 32;
    options.targets.parity_at_least = 0;
    options.effort = 0;
    return options;
}

/// A sliding window and one model, "model", that steps with every batch.
inline EngineOptions engine_options(std::uint32_t dimensions, const ModelOptions& model) {
    EngineOptions options;
    options.format = stream_format(dimensions);
    options.window.capacity = window_capacity;
    options.models = {{.name = "model", .options = model, .schedule = {}}};
    return options;
}

}  // namespace fairstream::benchmarks
