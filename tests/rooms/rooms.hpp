#pragma once
/// The rooms of the code: folders whose includes go one way, in the order that tests/README.md gives.

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fairstream::test {

/// Ranks of rooms, by name: "base", "models/*" for any folder of `models`, "engine" for the files beside the rooms.
using RoomOrder = std::map<std::string, std::size_t, std::less<>>;

/// Reads the order from the block of a page that begins with "```rooms": rooms from left to right and line by line.
[[nodiscard]] RoomOrder room_order(std::string_view readme);

/// Returns every include of `<fairstream/...>` below `root`/engine/fairstream and `root`/transports/fairstream that
/// goes to a later room, or back to one that it came from, or from transports to a `detail` of the engine; and every
/// folder that is no room. Each is one line: file, line number, and what is wrong.
[[nodiscard]] std::vector<std::string> wrong_includes(const std::filesystem::path& root, const RoomOrder& order);

}  // namespace fairstream::test
