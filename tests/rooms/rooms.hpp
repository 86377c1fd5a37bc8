#pragma once
/// The rooms of the code: folders whose includes go one way, in the order given in the README.

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

/// Returns the wrong includes of `<fairstream/...>` below `root`/engine/fairstream and `root`/transports/fairstream:
/// those of a later room, those of another room that the same `*` stands for, those of the shortest cycle of top
/// folders, and those from transports of a `detail` folder of the engine. Also returns every folder that is no room.
/// Each is one line: file, line number, and the fault.
[[nodiscard]] std::vector<std::string> wrong_includes(const std::filesystem::path& root, const RoomOrder& order);

}  // namespace fairstream::test
