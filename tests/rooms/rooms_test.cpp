/// Includes go from later rooms to earlier ones, never back.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooms.hpp"
#include "support/temporary_directory.hpp"

namespace fairstream::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Rooms, IncludeOnlyWhatComesBefore) {
    const std::filesystem::path root = FAIRSTREAM_SOURCE_DIR;
    const RoomOrder order = room_order(file_bytes(root / "tests/README.md"));
    ASSERT_GT(order.size(), 10U) << "the block of rooms in tests/README.md was not found";
    EXPECT_THAT(wrong_includes(root, order), IsEmpty());
}

// A small tree of a few rooms and two models.
class PlantedIncludes : public testing::Test {
protected:
    PlantedIncludes() {
        put("engine/fairstream/base/types.hpp", "");
        put("engine/fairstream/models/model.hpp", "#include <fairstream/base/types.hpp>\n");
        put("engine/fairstream/models/one/one.hpp", "#include <fairstream/models/model.hpp>\n");
        put("engine/fairstream/models/two/two.hpp", "\n#include <fairstream/models/two/detail/two.hpp>\n");
        put("engine/fairstream/models/two/detail/two.hpp", "");
        put("engine/fairstream/engine.hpp", "#include <fairstream/models/two/two.hpp>\n");
        put("transports/fairstream/wire/wire.cpp", "#include <fairstream/engine.hpp>\n");
    }
    void put(const std::string& path, const std::string& text) {
        std::filesystem::create_directories((directory_ / path).parent_path());
        directory_.write(path, text);
    }
    [[nodiscard]] std::vector<std::string> wrong() const {
        return wrong_includes(
            directory_ / "", room_order("Text.\n```rooms\nbase models models/* engine\nfiles wire files/input\n```\n"));
    }

private:
    TemporaryDirectory directory_;
};

TEST_F(PlantedIncludes, AreNoneInAGoodTree) {
    EXPECT_THAT(wrong(), IsEmpty());
}

TEST_F(PlantedIncludes, LaterRoomIsNamed) {
    put("engine/fairstream/base/types.hpp", "#pragma once\n#include <fairstream/models/model.hpp>\n");
    EXPECT_THAT(wrong(), ElementsAre("engine/fairstream/base/types.hpp:2: <fairstream/models/model.hpp>: "
                                     "room models comes after base"));
}

TEST_F(PlantedIncludes, OtherModelIsNamed) {
    put("engine/fairstream/models/one/inner/one.hpp", "#include <fairstream/models/two/two.hpp>\n");
    EXPECT_THAT(wrong(), ElementsAre("engine/fairstream/models/one/inner/one.hpp:1: <fairstream/models/two/two.hpp>: "
                                     "room models/two stands beside models/one"));
}

TEST_F(PlantedIncludes, ShortestCycleOfTopFoldersIsNamed) {
    put("transports/fairstream/files/file.hpp", "");
    put("transports/fairstream/files/input/input.cpp",
        "#include <fairstream/files/file.hpp>\n"
        "#include <fairstream/wire/wire.hpp>\n");
    EXPECT_THAT(wrong(), IsEmpty());
    put("transports/fairstream/wire/wire.hpp", "#include <fairstream/files/file.hpp>\n");
    EXPECT_THAT(wrong(), ElementsAre("transports/fairstream/files/input/input.cpp:2: <fairstream/wire/wire.hpp>: "
                                     "is part of the cycle files > wire > files",
                                     "transports/fairstream/wire/wire.hpp:1: <fairstream/files/file.hpp>: "
                                     "is part of the cycle files > wire > files"));
}

TEST_F(PlantedIncludes, PrivateEngineHeaderIsNamed) {
    put("engine/fairstream/base/detail/inner.hpp", "");
    put("engine/fairstream/models/one/one.hpp", "#include <fairstream/base/detail/inner.hpp>\n");
    put("transports/fairstream/wire/wire.cpp", "#include <fairstream/base/detail/inner.hpp>\n");
    EXPECT_THAT(wrong(), ElementsAre("transports/fairstream/wire/wire.cpp:1: <fairstream/base/detail/inner.hpp>: "
                                     "is private to the engine"));
}

TEST_F(PlantedIncludes, UnlistedFolderIsNamed) {
    put("engine/fairstream/attic/old.hpp", "#include <fairstream/base/types.hpp>\n");
    EXPECT_THAT(wrong(), ElementsAre("engine/fairstream/attic/old.hpp:1: <fairstream/base/types.hpp>: "
                                     "tests/README.md lists no room 'attic'"));
}

}  // namespace
}  // namespace fairstream::test
