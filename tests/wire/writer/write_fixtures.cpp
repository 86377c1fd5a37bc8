/// Writes a file for every sample message that has none yet, into a folder `v5` for those alone whose structs have
/// grown since the fourth version. Run it by hand after adding a sample; what is there already is never written again.

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "wire/samples.hpp"

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: write_wire_fixtures FOLDER\n");
        return 2;
    }
    for (const fairstream::wire::test::Sample& sample : fairstream::wire::test::samples()) {
        const auto path = std::filesystem::path(argv[1]) / (sample.name + ".bin");
        if (std::filesystem::exists(path)) continue;
        if (path.parent_path().filename() == "v5" && !fairstream::wire::test::has_grown(sample, 5)) continue;
        const auto bytes = fairstream::wire::test::encoded(sample.message);
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
