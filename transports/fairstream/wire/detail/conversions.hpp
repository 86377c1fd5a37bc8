#pragma once
/// Helpers for readers and writers of messages.

#include <bit>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <capnp/dynamic.h>
#include <capnp/message.h>
#include <capnp/serialize.h>
#include <kj/exception.h>

#include <fairstream/wire/messages.hpp>

#include "fairstream.capnp.h"

namespace fairstream::wire {

/// The single segment in which each message is built. A word before it holds the segment table, so that the message is
/// contiguous, in the format of `capnp::messageToFlatArray`.
struct Encoder::Scratch {
    std::vector<std::uint64_t> words = std::vector<std::uint64_t>(1024);
    // Lives until the next write: its destructor zeroes the used words, as Cap'n Proto requires of fresh memory.
    std::optional<capnp::MallocMessageBuilder> builder;
};

namespace detail {

static_assert(std::endian::native == std::endian::little, "columns are little-endian and borrowed without conversion");

inline constexpr std::size_t producer_limit = 128;  ///< bytes of a producer's name
inline constexpr std::size_t name_limit = 1024;     ///< bytes of the name of a model, option, topic, attribute or group
inline constexpr std::size_t text_limit = 16 * 1024;  ///< bytes of an option's value or the text of a refusal
/// Largest number of entries in a list of attributes, groups or topics: an entry takes little space in a message, and
/// many times that once read.
inline constexpr std::size_t list_limit = 65536;

[[noreturn]] void malformed(const std::string& what);
[[noreturn]] void oversized(const std::string& what);

template <class... Functions> struct Overloaded : Functions... { using Functions::operator()...; };
template <class... Functions> Overloaded(Functions...) -> Overloaded<Functions...>;

// ---------------------------------------------------------------- reading

/// Returns the words of the message; throws unless the segment table is plausible.
kj::ArrayPtr<const capnp::word> checked_words(const AlignedMessage& message);
capnp::ReaderOptions reader_options(std::size_t words) noexcept;

/// Calls `read` with the root of `message`; turns Cap'n Proto's exceptions for damaged pointers into `InvalidInput`.
template <class Root, class Read> auto decode(const AlignedMessage& message, const Read& read) {
    const auto words = checked_words(message);
    try {
        capnp::FlatArrayMessageReader reader(words, reader_options(words.size()));
        if (reader.getEnd() != words.end()) {
            malformed(std::to_string(words.end() - reader.getEnd()) + " words follow the end of the message");
        }
        return read(reader.getRoot<Root>());
    } catch (const kj::Exception& error) {
        // Not `what()`, which would start another program for a stack trace.
        malformed(error.getDescription().cStr());
    }
}

/// Returns the elements of a column, borrowed from `data`.
template <class T> std::span<const T> column(capnp::Data::Reader data, const char* name) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (data.size() == 0) return {};
    if (data.size() % sizeof(T) != 0) {
        malformed("column " + std::string(name) + " has " + std::to_string(data.size()) + " bytes, not a multiple of " +
                  std::to_string(sizeof(T)));
    }
    // Pointers count in words, so no message can break this; a later Cap'n Proto with other layouts could.
    if (reinterpret_cast<std::uintptr_t>(data.begin()) % alignof(T) != 0) {
        malformed("column " + std::string(name) + " is not aligned");
    }
    return {reinterpret_cast<const T*>(data.begin()), data.size() / sizeof(T)};
}

template <class T> std::vector<T> copied_column(capnp::Data::Reader data, const char* name) {
    const auto borrowed = column<T>(data, name);
    return {borrowed.begin(), borrowed.end()};
}

/// Returns borrowed texts; throws unless they end in rising order and the last one ends with the bytes.
TextSpan texts(capnp::Data::Reader bytes, capnp::Data::Reader ends, const char* name);
/// Returns the bytes of borrowed texts, and puts the end of each into `ends`.
capnp::Data::Reader bytes_of(const TextSpan& texts, std::vector<std::uint32_t>& ends);

/// Throws unless the text has at least `least` and at most `most` bytes.
void check_text(std::size_t bytes, const char* name, std::size_t least, std::size_t most);
/// Throws unless a list has at most `list_limit` entries; returns their number in Cap'n Proto's type.
unsigned checked_count(std::size_t entries, const char* name);
std::string text(capnp::Text::Reader reader, const char* name, std::size_t least, std::size_t most);
inline std::string producer_name(capnp::Text::Reader reader) {
    return text(reader, "producer", 1, producer_limit);
}
inline std::string model_name(capnp::Text::Reader reader) {
    return text(reader, "model", 1, name_limit);
}
inline std::string topic_name(capnp::Text::Reader reader) {
    return text(reader, "topic", 1, name_limit);
}
RecordingId recording_id(capnp::Data::Reader data);

/// Returns the outcome with this number; throws for an unknown one.
Outcome outcome_of(std::uint8_t number);

[[noreturn]] void unknown_kind(const char* what, unsigned tag);

/// Calls `read` like `PointOutputs::visit`, for the kind named by the member that is set in the union of `message`;
/// throws for a kind of a later version.
template <class Reader, class Read> void visit_outputs(Reader message, const char* what, const Read& read) {
    KJ_IF_MAYBE (member, capnp::DynamicStruct::Reader(message).which())
        if (PointOutputs::visit(member->getProto().getName().cStr(), read)) return;
    unknown_kind(what, static_cast<unsigned>(message.which()));
}

// ---------------------------------------------------------------- writing

/// Grows `scratch` to fit a message of `words`, discarding its contents; throws above `message_limit`.
void grow(Encoder::Scratch& scratch, std::size_t words);
/// Writes the segment table in front of the segment, and returns both.
Bytes frame(Encoder::Scratch& scratch, std::size_t segment_words) noexcept;

/// Builds a message in the scratch, which grows to the largest message so far. `build` runs once, without allocating;
/// it runs twice for a message larger than all before.
template <class Root, class Build> Bytes encode(Encoder& encoder, const Build& build) {
    Encoder::Scratch& scratch = encoder.scratch();
    try {
        for (;;) {
            scratch.builder.reset();
            auto* first = reinterpret_cast<capnp::word*>(scratch.words.data() + 1);
            scratch.builder.emplace(kj::arrayPtr(first, scratch.words.size() - 1));
            build(scratch.builder->template initRoot<Root>());
            const auto segments = scratch.builder->getSegmentsForOutput();
            if (segments.size() == 1) return frame(scratch, segments[0].size());
            std::size_t words = 0;
            for (const auto& segment : segments) words += segment.size();
            grow(scratch, words);
        }
    } catch (const kj::Exception& error) {
        oversized(error.getDescription().cStr());
    }
}

template <class T> capnp::Data::Reader bytes_of(std::span<const T> values, const char* name) {
    const std::size_t bytes = values.size_bytes();
    if (bytes > message_limit) {
        oversized("column " + std::string(name) + " has " + std::to_string(bytes) + " bytes; a message has at most " +
                  std::to_string(message_limit));
    }
    return {reinterpret_cast<const capnp::byte*>(values.data()), bytes};
}
template <class T> capnp::Data::Reader bytes_of(const std::vector<T>& values, const char* name) {
    return bytes_of(std::span<const T>(values), name);
}
inline capnp::Data::Reader bytes_of(const RecordingId& id) {
    return bytes_of(std::span<const std::byte>(id), "recording");
}

inline Interval read_interval(schema::Interval::Reader reader) {
    return {reader.getLow(), reader.getHigh()};
}
inline void write_interval(const Interval& interval, schema::Interval::Builder out) {
    out.setLow(interval.low);
    out.setHigh(interval.high);
}

/// Read and write a list of names; in errors `list` names it, and `one` names an entry.
std::vector<std::string> read_names(capnp::List<capnp::Text>::Reader reader, const char* list, const char* one);
void write_names(const std::vector<std::string>& names, const char* one, capnp::List<capnp::Text>::Builder out);

/// Writes the texts of ids, if any, into a message of points, outcomes or outputs.
template <class Builder> void write_id_texts(const TextSpan& id_texts, Builder out) {
    if (id_texts.empty()) return;
    std::vector<std::uint32_t> ends;
    out.setIdTexts(bytes_of(id_texts, ends));
    out.setIdTextEnds(bytes_of(std::span<const std::uint32_t>(ends), "texts of ids"));
}

/// Returns `value` as a text to write, after the same checks that readers make.
capnp::Text::Reader checked(const std::string& value, const char* name, std::size_t least, std::size_t most);
inline capnp::Text::Reader checked_producer(const std::string& value) {
    return checked(value, "producer", 1, producer_limit);
}
inline capnp::Text::Reader checked_model(const std::string& value) {
    return checked(value, "model", 1, name_limit);
}
inline capnp::Text::Reader checked_topic(const std::string& value) {
    return checked(value, "topic", 1, name_limit);
}

// ---------------------------------------------------------------- parts of several messages

KnobChange read_knob(schema::KnobChange::Reader reader);
Refinement read_refinement(schema::Refinement::Reader reader);
PointRemoval read_point_removal(schema::PointRemoval::Reader reader);
KnownEvent read_known(schema::KnownEvent::Reader reader);
/// Reads format and settings at once, as a message may be traversed only once.
StreamFormat read_format(schema::StreamFormat::Reader reader, files::ReaderSettings& settings);
Condition read_condition(schema::Condition::Reader reader);
Nack read_nack(schema::Nack::Reader reader);
FairnessReport read_fairness(schema::FairnessReport::Reader reader);
GroupMetrics read_group_metrics(schema::GroupMetrics::Reader reader);
ClusterReport read_clusters(schema::ClusterReport::Reader reader);
FrontReport read_front(schema::FrontReport::Reader reader);
NetworkReport read_network(schema::NetworkReport::Reader reader);
Publication read_publication(schema::Publication::Reader reader);

void write_knob(const KnobChange& knob, schema::KnobChange::Builder out);
void write_refinement(const Refinement& refinement, schema::Refinement::Builder out);
void write_point_removal(const PointRemoval& removal, schema::PointRemoval::Builder out);
void write_format(const StreamFormat& format, const files::ReaderSettings& settings, schema::StreamFormat::Builder out);
void write_condition(const Condition& condition, schema::Condition::Builder out);
void write_known(const KnownEvent& event, schema::KnownEvent::Builder out);
void write_nack(const Nack& nack, schema::Nack::Builder out);
void write_fairness(const FairnessReport& report, schema::FairnessReport::Builder out);
void write_group_metrics(const GroupMetrics& metrics, schema::GroupMetrics::Builder out);
void write_clusters(const ClusterReport& report, schema::ClusterReport::Builder out);
void write_front(const FrontReport& report, schema::FrontReport::Builder out);
void write_network(const NetworkReport& report, schema::NetworkReport::Builder out);
void write_publication(const Publication& publication, schema::Publication::Builder out);

}  // namespace detail
}  // namespace fairstream::wire
