#include <fairstream/wire/messages.hpp>

#include <algorithm>

#include <fairstream/wire/detail/conversions.hpp>

namespace fairstream::wire {

namespace {

/// Largest number of segments accepted; no writer of these messages makes more. Cap'n Proto allocates four times the
/// size of the segment table, and a message may claim to be nothing but such a table.
constexpr std::uint32_t segment_limit = 512;

/// Largest number of pointers followed one after another. The deepest message has root, report, fairness, groups,
/// attributes, their groups, rates and an interval: eight, plus at most as many lists. Deeper or cyclic nesting could
/// exhaust the stack of a recursive reader.
constexpr int nesting_limit = 12;

}  // namespace

void AlignedMessage::assign(Bytes bytes) {
    if (bytes.size() > message_limit) {
        detail::oversized("a message of " + std::to_string(bytes.size()) + " bytes, at most " +
                          std::to_string(message_limit));
    }
    if (bytes.size() % sizeof(std::uint64_t) != 0) {
        detail::malformed("a message of " + std::to_string(bytes.size()) + " bytes, not a multiple of 8");
    }
    words_.resize(bytes.size() / sizeof(std::uint64_t));
    if (!bytes.empty()) std::memcpy(words_.data(), bytes.data(), bytes.size());
}

Encoder::Encoder() : scratch_(std::make_unique<Scratch>()) {}
Encoder::~Encoder() = default;
Encoder::Encoder(Encoder&&) noexcept = default;
Encoder& Encoder::operator=(Encoder&&) noexcept = default;

namespace detail {

void malformed(const std::string& what) {
    throw InvalidInput(Reason::malformed, "malformed message: " + what);
}
void oversized(const std::string& what) {
    throw InvalidInput(Reason::oversized, "oversized message: " + what);
}

void unknown_kind(const char* what, unsigned tag) {
    malformed(std::string(what) + " of kind " + std::to_string(tag) + ", which this version does not know");
}

kj::ArrayPtr<const capnp::word> checked_words(const AlignedMessage& message) {
    const auto words = message.words();
    if (words.empty()) malformed("no bytes");
    const auto segments = static_cast<std::uint32_t>(words[0]) + std::uint64_t{1};
    if (segments > segment_limit) {
        malformed(std::to_string(segments) + " segments, at most " + std::to_string(segment_limit));
    }
    return kj::arrayPtr(reinterpret_cast<const capnp::word*>(words.data()), words.size());
}

capnp::ReaderOptions reader_options(std::size_t words) noexcept {
    capnp::ReaderOptions options;
    // Every reader here reads each object once, so a valid message never visits more words than it has. The exact limit
    // stops amplification: many pointers to one object, or long lists of empty structs, which turn a small message into
    // much work and memory. It also raises Cap'n Proto's default of 64 MiB to the length of any message.
    options.traversalLimitInWords = words;
    options.nestingLimit = nesting_limit;
    return options;
}

TextSpan texts(capnp::Data::Reader bytes, capnp::Data::Reader ends, const char* name) {
    const TextSpan texts{{reinterpret_cast<const char*>(bytes.begin()), bytes.size()},
                         column<std::uint32_t>(ends, name)};
    const bool rise = std::ranges::is_sorted(texts.ends);
    if (!rise || (texts.empty() ? 0 : texts.ends.back()) != texts.bytes.size())
        malformed("column " + std::string(name) + " does not divide " + std::to_string(texts.bytes.size()) +
                  " bytes into texts that end one after the other");
    return texts;
}

capnp::Data::Reader bytes_of(const TextSpan& texts, std::vector<std::uint32_t>& ends) {
    ends.assign(texts.ends.begin(), texts.ends.end());
    for (std::uint32_t& end : ends) end -= texts.begin;
    const std::string_view bytes = texts.bytes.substr(texts.begin, ends.empty() ? 0 : ends.back());
    return {reinterpret_cast<const capnp::byte*>(bytes.data()), bytes.size()};
}

void check_text(std::size_t bytes, const char* name, std::size_t least, std::size_t most) {
    if (bytes >= least && bytes <= most) return;
    malformed(std::string(name) + " has " + std::to_string(bytes) + " bytes; allowed are " + std::to_string(least) +
              " to " + std::to_string(most));
}

unsigned checked_count(std::size_t entries, const char* name) {
    if (entries > list_limit) {
        malformed(std::to_string(entries) + " " + name + ", at most " + std::to_string(list_limit));
    }
    return static_cast<unsigned>(entries);
}

std::string text(capnp::Text::Reader reader, const char* name, std::size_t least, std::size_t most) {
    check_text(reader.size(), name, least, most);
    return {reader.begin(), reader.size()};
}

capnp::Text::Reader checked(const std::string& value, const char* name, std::size_t least, std::size_t most) {
    check_text(value.size(), name, least, most);
    return {value.c_str(), value.size()};
}

RecordingId recording_id(capnp::Data::Reader data) {
    RecordingId id;
    if (data.size() != id.size()) malformed("recording has " + std::to_string(data.size()) + " bytes, not 16");
    std::memcpy(id.data(), data.begin(), id.size());
    return id;
}

void grow(Encoder::Scratch& scratch, std::size_t words) {
    constexpr std::size_t limit = message_limit / sizeof(std::uint64_t);
    if (words + 1 > limit) {
        oversized("a message of " + std::to_string((words + 1) * sizeof(std::uint64_t)) + " bytes, at most " +
                  std::to_string(message_limit));
    }
    scratch.builder.reset();
    scratch.words.assign(std::min(limit, std::max(words + 1, 2 * scratch.words.size())), 0);
}

Bytes frame(Encoder::Scratch& scratch, std::size_t segment_words) noexcept {
    // Low half: number of segments minus one, 0. High half: length of the only segment.
    scratch.words[0] = std::uint64_t{segment_words} << 32;
    return std::as_bytes(std::span<const std::uint64_t>(scratch.words).first(segment_words + 1));
}

}  // namespace detail
}  // namespace fairstream::wire
