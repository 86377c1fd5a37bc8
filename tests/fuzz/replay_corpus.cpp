/// Runs a target once on every input in the named files and folders; works with any compiler, without libFuzzer.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "fuzz/oracle.hpp"
#include "support/temporary_directory.hpp"

namespace fs = std::filesystem;

int main(int count, char** arguments) {
    std::vector<fs::path> inputs;
    for (const fs::path path : std::span(arguments, static_cast<std::size_t>(count)).subspan(1)) {
        if (!fs::is_directory(path)) {
            inputs.push_back(path);
            continue;
        }
        for (const fs::directory_entry& entry : fs::directory_iterator(path)) inputs.push_back(entry.path());
    }
    std::ranges::sort(inputs);
    for (const fs::path& path : inputs) {
        std::printf("%s\n", path.c_str());
        std::fflush(stdout);  // the last line names the input of a crash
        // In memory of exactly its length, so that a sanitizer sees a read past its end.
        const std::string text = fairstream::test::file_bytes(path);
        const std::vector<std::uint8_t> bytes(text.begin(), text.end());
        LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    }
    std::printf("%zu inputs\n", inputs.size());
    return inputs.empty() ? 1 : 0;
}
