/// The limits for the end-to-end benchmark: what ZeroMQ and SQLite can do alone with messages of one size. Each role
/// prints one JSON object with its seconds.
///
///   bench_raw_peers answer ENDPOINT MESSAGES                  ROUTER: answers each message with a short one
///   bench_raw_peers send ENDPOINT MESSAGES BYTES UNANSWERED   DEALER: at most UNANSWERED messages without an answer
///   bench_raw_peers rows FILE MESSAGES BYTES PER_COMMIT       a table of blobs: 64 KiB pages, WAL, synchronous = FULL

#include <sqlite3.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <zmq.hpp>

namespace {

constexpr std::size_t answer_bytes = 64;

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Bytes that no layer below can compress away.
std::vector<std::byte> message_of(std::size_t bytes) {
    std::mt19937 random(1);
    std::vector<std::byte> message(bytes);
    for (std::byte& b : message) b = static_cast<std::byte>(random());
    return message;
}

void answer(const std::string& endpoint, std::size_t messages) {
    zmq::context_t context;
    zmq::socket_t socket(context, zmq::socket_type::router);
    socket.bind(endpoint);
    const std::array<std::byte, answer_bytes> body{};
    zmq::message_t client, message;
    for (std::size_t i = 0; i < messages; ++i) {
        (void)socket.recv(client);
        (void)socket.recv(message);
        socket.send(client, zmq::send_flags::sndmore);
        socket.send(zmq::buffer(body), zmq::send_flags::none);
    }
}

void send(const std::string& endpoint, std::size_t messages, std::size_t bytes, std::size_t unanswered) {
    zmq::context_t context;
    zmq::socket_t socket(context, zmq::socket_type::dealer);
    socket.connect(endpoint);
    const std::vector<std::byte> body = message_of(bytes);
    zmq::message_t reply;
    const auto exchange = [&](std::size_t count) {
        for (std::size_t sent = 0, answered = 0; answered < count;) {
            if (sent < count && sent - answered < unanswered) {
                socket.send(zmq::buffer(body), zmq::send_flags::none);
                ++sent;
                continue;
            }
            (void)socket.recv(reply);
            ++answered;
        }
    };
    const std::size_t warm = messages / 8;
    exchange(warm);
    const auto start = std::chrono::steady_clock::now();
    exchange(messages - warm);
    std::printf("{\"seconds\": %.9f, \"messages\": %zu}\n", seconds_since(start), messages - warm);
}

using Database = std::unique_ptr<sqlite3, decltype(&sqlite3_close)>;
using Statement = std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)>;

void check(bool done, sqlite3* database) {
    if (!done) throw std::runtime_error(std::string("SQLite: ") + sqlite3_errmsg(database));
}

Database open(const std::string& file) {
    sqlite3* opened = nullptr;
    const int code = sqlite3_open(file.c_str(), &opened);
    Database database(opened, sqlite3_close);
    check(code == SQLITE_OK, opened);
    for (const char* sql : {"PRAGMA page_size = 65536", "PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL",
                            "CREATE TABLE events(sequence INTEGER PRIMARY KEY, message BLOB NOT NULL)"})
        check(sqlite3_exec(opened, sql, nullptr, nullptr, nullptr) == SQLITE_OK, opened);
    return database;
}

void rows(const std::string& file, std::size_t messages, std::size_t bytes, std::size_t per_commit) {
    const Database database = open(file);
    sqlite3* const db = database.get();
    sqlite3_stmt* prepared = nullptr;
    check(sqlite3_prepare_v2(db, "INSERT INTO events VALUES(?1, ?2)", -1, &prepared, nullptr) == SQLITE_OK, db);
    const Statement insert(prepared, sqlite3_finalize);
    const std::vector<std::byte> body = message_of(bytes);
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < messages; ++i) {
        if (i % per_commit == 0) check(sqlite3_exec(db, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr) == SQLITE_OK, db);
        sqlite3_bind_int64(prepared, 1, static_cast<sqlite3_int64>(i) + 1);
        sqlite3_bind_blob(prepared, 2, body.data(), static_cast<int>(body.size()), SQLITE_STATIC);
        check(sqlite3_step(prepared) == SQLITE_DONE && sqlite3_reset(prepared) == SQLITE_OK, db);
        if (i % per_commit == per_commit - 1 || i == messages - 1)
            check(sqlite3_exec(db, "COMMIT", nullptr, nullptr, nullptr) == SQLITE_OK, db);
    }
    std::printf("{\"seconds\": %.9f, \"messages\": %zu}\n", seconds_since(start), messages);
}

// Returns false if the arguments are no role's.
bool play(std::span<char*> arguments) {
    const auto text = [&](std::size_t i) { return std::string(arguments[i]); };
    const auto number = [&](std::size_t i) { return std::strtoull(arguments[i], nullptr, 10); };
    const std::string role = arguments.size() > 1 ? text(1) : "";
    if (role == "answer" && arguments.size() == 4)
        answer(text(2), number(3));
    else if (role == "send" && arguments.size() == 6)
        send(text(2), number(3), number(4), number(5));
    else if (role == "rows" && arguments.size() == 6)
        rows(text(2), number(3), number(4), number(5));
    else
        return false;
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        if (play({argv, static_cast<std::size_t>(argc)})) return 0;
        std::fprintf(stderr, "bench_raw_peers: unknown role or wrong number of arguments\n");
        return 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench_raw_peers: %s\n", error.what());
        return 1;
    }
}
