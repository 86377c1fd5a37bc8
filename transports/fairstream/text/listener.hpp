#pragma once
/// Who is told of work on a file or a model while it goes on.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace fairstream {

/// A command prints what it is told; another program may log it, raise it, or pass over it. Texts are one line, without
/// its end, and may quote the file.
class Listener {
public:
    virtual ~Listener() = default;

    /// Tells what is to be known of a result that stands; `details` are lines of their own.
    virtual void note(const std::string& text, std::span<const std::string> details) { (void)text, (void)details; }
    void note(const std::string& text) { note(text, {}); }
    /// Tells that a result stands, and is probably not what was meant.
    virtual void warn(const std::string& text) { (void)text; }
    /// Tells that the share `share` of `work`, "reading a.csv", is done, below 0 where that is not known. Returns
    /// whether to go on, which only work that may end early asks (`Phase::working`). Called by one thread at a time.
    virtual bool progress(const std::string& work, double share, std::string_view detail) {
        (void)work, (void)share, (void)detail;
        return true;
    }

    enum class Phase : std::uint8_t {
        reading,  ///< nothing is there yet
        working,  ///< work may end early with the best so far
        writing,  ///< results are being written
    };
    /// Tells that a phase begins.
    virtual void enter(Phase phase) { (void)phase; }

    /// Tells notes in their order: equal ones once, with their count, and of many that differ only in names and numbers
    /// the first five and the names of the others.
    void notes(std::span<const std::string> texts);
};

}  // namespace fairstream
