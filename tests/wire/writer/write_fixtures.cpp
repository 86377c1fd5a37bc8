/// Writes a file for every sample message without one. In a folder of the newest version, such as `v7`, it writes only
/// samples that grew with that version. Run it by hand after adding a sample; existing files are never overwritten.

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "wire/samples.hpp"

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: write_wire_fixtures FOLDER\n");
        return 2;
    }
    using namespace fairstream::wire::test;
    for (const Sample& sample : samples()) {
        const auto path = std::filesystem::path(argv[1]) / (sample.name + ".bin");
        if (std::filesystem::exists(path)) continue;
        const bool of_newest = path.parent_path().filename() == "v" + std::to_string(newest_version);
        if (of_newest && !has_grown(sample, newest_version)) continue;
        const auto bytes = encoded(sample.message);
        std::ofstream file(path, std::ios::binary);
        file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
        if (!file.flush()) {
            std::fprintf(stderr, "cannot write %s\n", path.c_str());
            return 1;
        }
        std::printf("%s\n", path.c_str());
    }
    return 0;
}
