#include <fairstream/files/rows/input_file.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <future>

#include <gmock/gmock.h>

#include <fairstream/files/points/graph.hpp>
#include <fairstream/files/points/points.hpp>

#include "helpers.hpp"

namespace fairstream::files {
namespace {

using ::testing::HasSubstr;

/// A pipe with a path, like a process substitution.
class Pipe {
public:
    Pipe() {
        if (::pipe(ends_.data()) != 0) throw std::runtime_error("no pipe");
    }
    ~Pipe() {
        close();
        ::close(ends_[0]);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    [[nodiscard]] std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(ends_[0]); }
    void write(std::string_view text) const {
        EXPECT_EQ(::write(ends_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    }
    void close() {
        if (ends_[1] >= 0) ::close(std::exchange(ends_[1], -1));
    }

private:
    std::array<int, 2> ends_{};
};

std::string all_of(InputFile::Pass pass, std::size_t piece) {
    std::string text, part(piece, '\0');
    while (const std::size_t count = pass.read(part)) text.append(part, 0, count);
    return text;
}

/// A pipe that a thread fills with more bytes than it can hold, and closes.
class LongPipe {
public:
    explicit LongPipe(std::string text)
        : written_(std::async(std::launch::async, [this, text = std::move(text)] {
              std::string_view rest = text;
              while (!rest.empty()) {
                  pipe_.write(rest.substr(0, 1000));
                  rest.remove_prefix(std::min<std::size_t>(rest.size(), 1000));
              }
              pipe_.close();
          })) {}
    [[nodiscard]] std::filesystem::path path() const { return pipe_.path(); }

private:
    Pipe pipe_;
    std::future<void> written_;
};

std::string long_csv() {
    std::string text = "x,sex\n";
    for (int i = 0; i < 60'000; ++i) text += std::to_string(i) + (i % 3 == 0 ? ",f\n" : ",m\n");
    return text;
}

TEST(InputFile, PipeServesOverlappingPasses) {
    const std::string text = long_csv();
    const LongPipe pipe(text);
    const InputFile file(pipe.path(), Passes::many);
    EXPECT_TRUE(file.is_rereadable());
    InputFile::Pass slow = file.begin(), fast = file.begin();
    std::string head(10, '\0');
    ASSERT_EQ(slow.read(head), 10U);
    EXPECT_EQ(all_of(fast, 777), text);
    EXPECT_EQ(head + all_of(slow, 4096), text);
    EXPECT_EQ(all_of(file.begin(), 100'000), text);
}

TEST(InputFile, SinglePassStreamsPipe) {
    Pipe pipe;
    const InputFile file(pipe.path());
    EXPECT_FALSE(file.is_rereadable());
    pipe.write("a,b\n");
    Reader reader(file);  // before there is a row
    EXPECT_EQ(reader.header(), (std::vector<std::string>{"a", "b"}));
    for (const char* row : {"1,2\n", "3,4\n"}) {
        pipe.write(row);
        ASSERT_TRUE(reader.next());  // before the next row is there
        EXPECT_EQ(reader.cell(0), std::string_view(row, 1));
    }
    pipe.close();
    EXPECT_FALSE(reader.next());
    EXPECT_THAT(refusal([&] { (void)file.begin(); }), HasSubstr("only once"));
}

TEST(InputFile, NamedKeysMayComeAfterPause) {
    Pipe pipe;
    pipe.write("{\"a\":1}\n");
    PointReader reader(pipe.path(), {.features = {"a", "b"}, .groups = {}, .target = "y"});  // after the pause
    pipe.write("{\"b\":2,\"a\":3,\"y\":1}\n{\"a\":4}\n");
    pipe.close();
    PointRow row;
    EXPECT_THAT(refusal([&] { (void)reader.next(row); }), HasSubstr(":1: column 'b': '' is empty"));
    ASSERT_TRUE(reader.next(row));
    EXPECT_EQ(row.features, (std::vector<double>{3, 2}));
    EXPECT_EQ(row.target, 1);
    EXPECT_THAT(refusal([&] { (void)reader.next(row); }), HasSubstr(":3: column 'b': '' is empty"));
}

TEST(InputFile, ReadsARegularFileAsItWasOpened) {
    test::TemporaryDirectory directory;
    const auto path = directory.write("a.csv", "old");
    const InputFile file(path);
    EXPECT_EQ(all_of(file.begin(), 2), "old");
    std::filesystem::remove(path);
    directory.write("a.csv", "new");
    EXPECT_EQ(all_of(file.begin(), 2), "old");
    EXPECT_FALSE(is_read_once(path));
    EXPECT_TRUE(is_read_once("-"));
    EXPECT_FALSE(is_read_once(directory / "none.csv"));
    EXPECT_TRUE(is_read_once(Pipe().path()));
}

TEST(InputFile, SaysWhereItsCopyCannotBe) {
    Pipe pipe;
    pipe.write("a\n");
    pipe.close();
    const char* const given = std::getenv("TMPDIR");
    const std::string before = given ? given : "";
    ::setenv("TMPDIR", "/no/such/folder", 1);
    const InputFile file(pipe.path(), Passes::many);
    std::array<char, 4> out{};
    InputFile::Pass pass = file.begin();
    try {
        (void)pass.read(out);
        ADD_FAILURE() << "copied nowhere";
    } catch (const std::system_error& error) {
        EXPECT_THAT(error.what(), HasSubstr("/no/such/folder"));
    }
    given ? ::setenv("TMPDIR", before.c_str(), 1) : ::unsetenv("TMPDIR");
}

TEST(InputFile, GroupsAreFoundInAPipe) {
    test::TemporaryDirectory directory;
    const std::string text = long_csv();
    const Roles columns{.features = {}, .groups = {{"sex", {}}}};
    for (const std::string& bytes : {text, gzip(text), zstd(text)}) {
        const LongPipe pipe(bytes);
        PointReader piped(pipe.path(), columns), whole(directory.write("a.csv", bytes), columns);
        ASSERT_EQ(piped.format(), whole.format());
        PointColumns of_pipe, of_file;
        EXPECT_EQ(piped.read(100'000, of_pipe), 60'000U);
        EXPECT_EQ(whole.read(100'000, of_file), 60'000U);
        EXPECT_EQ(of_pipe.features, of_file.features);
        EXPECT_EQ(of_pipe.groups, of_file.groups);
    }
}

TEST(InputFile, PointsWithNamedGroupsStream) {
    Pipe pipe;
    pipe.write("x,sex\n");
    PointReader reader(pipe.path(), {.features = {}, .groups = {{"sex", {"f", "m"}}}});
    for (const char* row : {"1,f\n", "2,m\n"}) {
        pipe.write(row);
        PointRow point;
        ASSERT_TRUE(reader.next(point));  // before the next row is there
        EXPECT_EQ(point.features[0], row[0] - '0');
    }
}

TEST(InputFile, NodesMayBePiped) {
    Pipe edges, nodes;
    edges.write("u,v\n0,1\n1,2\n");
    nodes.write("node,g\n2,a\n0,b\n1,a\n");
    edges.close(), nodes.close();
    const GraphTable table = read_graph(edges.path(), nodes.path(), {"g"});
    EXPECT_EQ(table.groups, (std::vector<GroupId>{1, 0, 0}));
    EXPECT_EQ(table.graph.edges.size(), 2U);
}

TEST(InputFile, PipedJsonUsesFirstKeys) {
    Pipe pipe;
    std::string text = "{\"a\":1,\"b\":2}\n\n{\"c\":3}\n";
    for (int i = 2; i < 1000; ++i) text += "{\"a\":" + std::to_string(i) + "}\n";
    pipe.write(text);
    Reader reader(pipe.path());  // without the end of the pipe
    EXPECT_EQ(reader.header(), (std::vector<std::string>{"a", "b", "c"}));
    ASSERT_TRUE(reader.next());
    EXPECT_EQ(reader.cell(1), "2");
    EXPECT_EQ(reader.cell(2), "");
    ASSERT_TRUE(reader.next());
    EXPECT_EQ(reader.cell(2), "3");
    EXPECT_EQ(reader.line(), 3U);
    for (int i = 2; i < 1000; ++i) {
        ASSERT_TRUE(reader.next());
        ASSERT_EQ(reader.cell(0), std::to_string(i));
    }
    pipe.write("{\"d\":1}\n{\"c\":7}\n");
    ASSERT_TRUE(reader.next());  // whose key is no column
    EXPECT_EQ(reader.cell(0), "");
    ASSERT_TRUE(reader.next());
    EXPECT_EQ(reader.cell(2), "7");
}

TEST(InputFile, LongPipeReportsUnknownKeys) {
    std::string text;
    for (int i = 0; i < 1000; ++i) text += "{\"a\":" + std::to_string(i) + "}\n";
    const LongPipe pipe(text + "{\"b\":7}\n");
    Reader reader(pipe.path());
    reader.expect(std::vector<std::string>{"a", "b", "c"});
    EXPECT_EQ(reader.header(), (std::vector<std::string>{"a", "b", "c"}));
    EXPECT_EQ(reader.absent_columns(), (std::vector<std::string>{"b", "c"}));
    for (int i = 0; i < 1000; ++i) {
        ASSERT_TRUE(reader.next());
        ASSERT_EQ(reader.cell(1), "");
    }
    ASSERT_TRUE(reader.next());
    EXPECT_EQ(reader.cell(1), "7");
    EXPECT_EQ(reader.absent_columns(), std::vector<std::string>{"c"});
    EXPECT_FALSE(reader.next());

    const LongPipe short_one("{\"a\":1}\n");
    Reader of_all(short_one.path());
    of_all.expect(std::vector<std::string>{"b"});
    EXPECT_EQ(of_all.header(), std::vector<std::string>{"a"}) << "all lines were looked at";
}

TEST(InputFile, LongJsonLinesGiveColumns) {
    const std::string filler(std::size_t{1} << 20, 'x');
    std::string text;
    for (int i = 0; i < 20; ++i) text += "{\"a\":\"" + filler + "\"}\n";
    const LongPipe pipe(text + "{\"b\":1}\n");
    Reader reader(pipe.path());
    EXPECT_EQ(reader.header(), (std::vector<std::string>{"a"}));
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(reader.next());
    EXPECT_TRUE(reader.next());
    EXPECT_FALSE(reader.next());
}

}  // namespace
}  // namespace fairstream::files
