#include "recording/support.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace fairstream::log::sqlite::test {

namespace {

// On a disk in memory syncs cost nothing. A kill, unlike a power cut, loses nothing that was written there.
class DirectoriesInMemory : public testing::Environment {
public:
    void SetUp() override {
        constexpr std::uintmax_t room = std::uintmax_t{1} << 30;
        std::error_code error;
        const fs::space_info space = fs::space("/dev/shm", error);
        if (!error && space.available > room) ::setenv("TMPDIR", "/dev/shm", 0);
    }
};
const testing::Environment* const directories = testing::AddGlobalTestEnvironment(new DirectoriesInMemory);

std::string text_of(Bytes bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string text_of(const ProducerMark& mark) {
    return std::to_string(mark.epoch) + "/" + std::to_string(mark.producer_sequence);
}

}  // namespace

ByteVector some_bytes(std::uint64_t seed, std::size_t size) {
    Random random(seed);
    ByteVector bytes(size);
    for (std::size_t at = 0; at < size; at += sizeof(std::uint64_t)) {
        const std::uint64_t word = random();
        std::memcpy(bytes.data() + at, &word, std::min(sizeof word, size - at));
    }
    return bytes;
}

SomeEvent::SomeEvent(Sequence number, std::size_t size)
    : sequence(number),
      producer(1, static_cast<char>('a' + number % 3)),
      mark{1 + number / 50, number},
      message(some_bytes(number, size + number % 7)) {}

void append(Recording& recording, const SomeEvent& event, Bytes decisions) {
    recording.append({.sequence = event.sequence,
                      .producer = event.producer,
                      .mark = event.mark,
                      .message = event.message,
                      .decisions = decisions});
}

void append_committed(Recording& recording, Sequence count, std::size_t size) {
    for (Sequence i = 0; i < count; ++i) append(recording, SomeEvent(recording.last_sequence() + 1, size));
    recording.flush();
}

Refusal some_refusal(const std::string& producer, const ProducerMark& mark) {
    return {producer, mark, Reason::unknown_group, "refused " + producer + " " + text_of(mark),
            some_bytes(mark.producer_sequence, 90)};
}

std::vector<std::string> contents_of(const Recording& recording) {
    std::vector<std::string> all{text_of(recording.id()),
                                 recording.config(),
                                 recording.cpu_level(),
                                 std::to_string(recording.first_sequence()),
                                 std::to_string(recording.last_sequence()),
                                 std::to_string(recording.refused_count())};
    recording.for_each_event(0, [&](const RecordedEvent& e) {
        all.push_back("event " + std::to_string(e.sequence) + " " + e.producer + " " + text_of(e.mark) + " " +
                      text_of(e.message) + " " + text_of(e.decisions));
        EXPECT_EQ(recording.find_event(e.producer, e.mark), e.sequence);
        return true;
    });
    for (const Refusal& r : recording.refusals()) {
        all.push_back("refused " + r.producer + " " + text_of(r.mark) + " " + std::string(to_string(r.reason)) + " " +
                      r.text + " " + text_of(r.message));
        const auto found = recording.find_refusal(r.producer, r.mark);
        all.push_back(found ? "found " + found->text + " " + std::string(to_string(found->reason)) : "not found");
    }
    for (const auto& [producer, mark] : recording.producer_marks()) all.push_back("mark " + producer + text_of(mark));
    if (const auto checkpoint = recording.newest_checkpoint()) {
        all.push_back("checkpoint " + std::to_string(checkpoint->sequence) + " " + text_of(checkpoint->state));
        for (const auto& [topic, mark] : checkpoint->topics)
            all.push_back(topic + " " + std::to_string(mark.number) + " " + std::to_string(mark.running_hash));
    }
    return all;
}

std::vector<Sequence> checked_events(const Recording& recording, std::size_t size) {
    std::vector<Sequence> sequences;
    recording.for_each_event(1, [&](const RecordedEvent& e) {
        const SomeEvent expected(e.sequence, size);
        EXPECT_TRUE(e.producer == expected.producer && e.mark == expected.mark && e.message == expected.message)
            << e.sequence;
        sequences.push_back(e.sequence);
        return true;
    });
    return sequences;
}

std::string error_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const RecordingError& error) {
        return error.what();
    }
    ADD_FAILURE() << "nothing was thrown";
    return {};
}

std::string error_of_opening(const fs::path& path) {
    std::string for_reading = error_of([&] { (void)Recording::open_read_only(path); });
    EXPECT_EQ(error_of([&] { (void)Recording::open(path); }), for_reading);
    EXPECT_THAT(for_reading, testing::HasSubstr(path.string()));
    return for_reading;
}

fs::path log_beside(const fs::path& path) {
    return path.string() + "-wal";
}

void flip_bit(const fs::path& path, std::uint64_t byte, unsigned bit) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(byte));
    const int old = file.get();
    file.seekp(static_cast<std::streamoff>(byte));
    file.put(static_cast<char>(old ^ 1 << bit));
    ASSERT_TRUE(file.flush()) << byte;
}

void write_at(const fs::path& path, std::uint64_t offset, const std::string& bytes) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(offset));
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    ASSERT_TRUE(file.flush()) << offset;
}

Child::Child(const std::function<void(const Report&)>& body) {
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
    pid_ = ::fork();
    if (pid_ < 0) throw std::runtime_error("no process");
    if (pid_ == 0) {
        ::close(ends[0]);
        int code = 0;
        try {
            body([&](std::uint64_t value) {
                if (::write(ends[1], &value, sizeof value) != sizeof value) ::_exit(2);
            });
            code = testing::Test::HasFailure() ? 1 : 0;
        } catch (const std::exception& error) {
            std::fprintf(stderr, "in the child: %s\n", error.what());
            code = 1;
        }
        ::_exit(code);
    }
    ::close(ends[1]);
    pipe_ = ends[0];
}

Child::~Child() {
    if (pid_ > 0) {
        kill();
        wait();
    }
    ::close(pipe_);
}

std::optional<std::uint64_t> Child::next() {
    std::uint64_t value = 0;
    if (::read(pipe_, &value, sizeof value) != sizeof value) return std::nullopt;
    return value;
}

void Child::kill() {
    ::kill(pid_, SIGKILL);
}

int Child::wait() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void hang() {
    for (;;) ::pause();
}

int run_in_child(const std::function<void()>& body) {
    return Child([&](const Child::Report&) { body(); }).wait();
}

Recording& leak(Recording&& recording) {
    return *new Recording(std::move(recording));
}

}  // namespace fairstream::log::sqlite::test
