/// Pipes in place of files: for points, rows and graphs as input, and for results.

#include <random>

#include "command.hpp"
#include "recordings.hpp"
#include "terminal.hpp"

namespace fairstream::command {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class Pipes : public ::testing::Test {
protected:
    static constexpr int n = 300;

    Pipes() {
        std::mt19937_64 random(5);
        std::string points = "x,y,sex\n", lines, semicolons = "x;y;sex\r\n", nodes = "node,sex\n", edges = "u,v\n",
                    rows;
        for (int i = 0; i < n; ++i) {
            const std::string x = std::to_string(random() % 1000) + ".5", y = std::to_string(random() % 1000);
            const std::string sex = random() % 3 == 0 ? "f" : "m";
            points += x + "," + y + "," + sex + "\n";
            lines += R"({"sex":")" + sex + R"(","y":)" + y + R"(,"x":)" + x + "}\n";
            semicolons += x.substr(0, x.size() - 2) + ",5;" + y + ";" + sex + "\r\n";
            nodes += std::to_string(i) + "," + sex + "\n";
            edges += std::to_string(i) + "," + std::to_string((i + 1) % n) + "\n";
            if (i % 2 == 0) rows += std::to_string(i) + "\n";
        }
        directory.write("points.csv", points), directory.write("lines.jsonl", lines);
        directory.write("semicolons.csv", semicolons + "\r\n"), directory.write("nodes.csv", nodes);
        directory.write("edges.csv", edges), directory.write("rows.txt", rows);
    }

    /// Runs a line of shell in which $F is the program, in the folder of the files.
    [[nodiscard]] test::Finished shell(const std::string& line) const {
        return test::run({"/bin/bash", "-c", "cd '" + directory.path().string() + "'; F='" + program() + "'; " + line});
    }
    /// Returns the stdout of a line of shell; fails the test if it does not end well.
    [[nodiscard]] std::string out(const std::string& line) const {
        const test::Finished finished = shell(line);
        EXPECT_EQ(finished.exit_code, 0) << finished.err;
        return finished.out;
    }

    test::TemporaryDirectory directory;
};

constexpr const char* fitting = "$F fit safairkm --features x,y --group sex --clusters 3 --labels - ";

TEST_F(Pipes, PipedPointsEqualFile) {
    const std::string labels = out(std::string(fitting) + "--input points.csv");
    EXPECT_THAT(labels, StartsWith("id,label\n0,"));
    for (const char* input : {"--input - < points.csv", "--input /dev/stdin < points.csv", "--input <(cat points.csv)",
                              "--input <(gzip -c points.csv)", "--input - < <(cat lines.jsonl)", "--input lines.jsonl",
                              "--input semicolons.csv", "--input <(cat semicolons.csv)"})
        EXPECT_EQ(out(std::string(fitting) + input), labels) << input;
    EXPECT_EQ(out("cat points.csv | " + std::string(fitting) + "--input - --rows rows.txt"),
              out(std::string(fitting) + "--input points.csv --rows - < rows.txt"));
    const std::string front = out("$F front --features x,y --group sex --clusters 3 --csv - --input points.csv");
    EXPECT_THAT(front, StartsWith("cost,balance\n"));
    EXPECT_EQ(out("cat points.csv | $F front --features x,y --group sex --clusters 3 --csv - --input -"), front);
}

TEST_F(Pipes, EdgesOrNodesMayComeThroughThem) {
    const std::string graph = "$F fit fair_spectral --clusters 2 --group sex --labels - ";
    const std::string labels = out(graph + "--edges edges.csv --nodes nodes.csv");
    EXPECT_EQ(out(graph + "--edges - --nodes nodes.csv < <(cat edges.csv)"), labels);
    EXPECT_EQ(out(graph + "--edges edges.csv --nodes - < <(cat nodes.csv)"), labels);
    const test::Finished both = shell(graph + "--edges - --nodes - < edges.csv");
    EXPECT_EQ(both.exit_code, 2);
    EXPECT_THAT(both.err, Names({"--edges", "--nodes", "standard input"}));
}

TEST_F(Pipes, DataGetStdoutAndTheReportStderr) {
    const test::Finished labels = shell(std::string(fitting) + "--input points.csv");
    EXPECT_EQ(std::count(labels.out.begin(), labels.out.end(), '\n'), n + 1);
    EXPECT_THAT(labels.err, Names({"safairkm", "points.csv", "300 points"}));
    EXPECT_EQ(out(std::string(fitting) +
                  "--input points.csv > kept.csv; $F fit safairkm --features x,y --group sex "
                  "--clusters 3 --labels kept.txt --input points.csv > /dev/null && cmp kept.csv kept.txt"),
              "");
    // A name of stdout that is now a file is not replaced.
    EXPECT_EQ(out("$F fit safairkm --features x,y --group sex --clusters 3 --labels /dev/stdout --input points.csv "
                  "> kept.csv; cmp kept.csv kept.txt && test -L /dev/stdout"),
              "");
    const test::Finished as_json = shell(std::string(fitting) + "--input points.csv --json");
    EXPECT_EQ(as_json.out, labels.out);
    EXPECT_EQ(json::parse(as_json.err)["model"], "safairkm");
    EXPECT_THAT(out("$F front --features x,y --group sex --clusters 3 --plot - --input points.csv"),
                StartsWith("<svg "));
    EXPECT_THAT(shell(std::string(fitting) + "--input points.csv --report -").err, Names({"--report -", "--labels"}));
    EXPECT_FALSE(std::filesystem::exists(directory / "-"));
}

TEST_F(Pipes, IdsKeepBytesButTerminalIsEscaped) {
    const Site site(R"([stream]
columns = ["x"]
ids = "text"
[[stream.attribute]]
name = "sex"
groups = ["f", "m"]
[[model]]
name = "fair"
kind = "safairkm"
[model.options]
clusters = 2
parity_at_least = 0
)");
    const std::string id = "a\x1b[2Jb";
    const std::string points =
        site.directory().write("points.csv", "id,x,sex\n" + id + ",1,f\nc,2,m\nd,3,f\n").string();
    test::Process engine(site.serve_arguments());
    EXPECT_EQ(test::run(site.send_arguments({"--input", points, "--id", "id"})).exit_code, 0);
    Site::stop(engine);
    for (std::vector<std::string> command :
         {std::vector<std::string>{"export", site.recording()},
          {"replay", site.recording(), "--labels", "-"},
          {"predict", "--by", site.recording(), "--input", points, "--id", "id", "--labels", "-"}}) {
        command.insert(command.begin(), program());
        EXPECT_THAT(test::run(command).out, HasSubstr(id)) << command[1];
        const Terminal terminal;
        command.insert(command.begin(), {"/bin/sh", "-c", "exec \"$@\" >\"$0\"", terminal.name()});
        const test::Process writer(command);
        EXPECT_TRUE(terminal.shows("a\\x1b[2Jb,")) << command[5];
    }
}

TEST_F(Pipes, InvalidUtf8IsReplacedOnlyInJson) {
    directory.write("latin.csv", "x,sex\n1,m\xe4nnlich\n2,f\n3,f\n9,m\xe4nnlich\n");
    const std::string latin = "$F fit safairkm --group sex --clusters 2 --input latin.csv ";
    EXPECT_THAT(out(latin + "--json"), HasSubstr("m\xef\xbf\xbdnnlich"));
    EXPECT_THAT(out(latin), HasSubstr("m\xe4nnlich"));
}

TEST_F(Pipes, FileSizeLimitIsError) {
    const test::Finished limited = shell("ulimit -f 1; $F fit safairkm --generate loans --points 2000 --labels l.csv");
    EXPECT_EQ(limited.exit_code, 1);
    EXPECT_THAT(limited.err, HasSubstr("too large"));
}

TEST_F(Pipes, SendTakesThePointsOfOne) {
    const Site site(R"([stream]
columns = ["x", "y"]
[[stream.attribute]]
name = "sex"
groups = ["f", "m"]
[[model]]
name = "plain"
kind = "safairkm"
[model.options]
clusters = 2
)");
    test::Process engine(site.serve_arguments());
    const std::string send = "$F send --ingest " + site.endpoint("ingest") + " --timeout 60 --json ";
    for (const char* input : {"--input - < <(cat points.csv)", "--input /dev/stdin < <(cat lines.jsonl)",
                              "--input <(gzip -c semicolons.csv)", "--input - < points.csv"})
        EXPECT_EQ(json::parse(out(send + input))["sent"], n) << input;
    const test::Finished damaged = shell(
        "gzip -k points.csv; printf 'X' | dd of=points.csv.gz bs=1 conv=notrunc seek=$(($(wc -c < points.csv.gz) - 6)) "
        "2> dd.txt; " +
        send + "--input points.csv.gz --batch 1");
    EXPECT_EQ(damaged.exit_code, 2);
    EXPECT_EQ(damaged.out, "") << "nothing is sent of a file that is damaged anywhere";
    EXPECT_THAT(damaged.err, HasSubstr("points.csv.gz:"));
    for (const char* input : {"--input - <&-", "--input /dev/stdin <&-", "--outcomes - --id x --target y <&-"}) {
        const test::Finished closed = shell(send + input);
        EXPECT_NE(closed.exit_code, 0);
        EXPECT_THAT(closed.err, HasSubstr("file descriptor")) << input;
    }
    Site::stop(engine);
    const test::Finished replayed = test::run({program(), "replay", site.recording(), "--labels", "-"});
    EXPECT_THAT(replayed.out, StartsWith("id,plain\n"));
    EXPECT_THAT(replayed.err, HasSubstr("recorded"));
}

// The input stays open, so that the first signal may wait for more input.
TEST_F(Pipes, EndedPredictionLeavesNoFile) {
    (void)out("$F fit safairkm --features x,y --group sex --clusters 3 --input points.csv --save m.fairstream");
    EXPECT_EQ(
        out("set -m; mkfifo f; { echo x,y,sex; yes 1,2,f | head -n 211000; touch written; sleep 100; } > f & "
            "writer=$!; $F predict --nearest --by m.fairstream --input f --labels l.csv 2> predict.err & asker=$!; "
            "until [ -s l.csv.part ] && [ -f written ] || ! kill -0 $asker; do sleep .01; done; "
            "while kill -INT $asker 2> /dev/null; do sleep .02; done; wait $asker; "
            "kill -- -$writer; ls | grep l.csv || echo none"),
        "none\n");
}

}  // namespace
}  // namespace fairstream::command
