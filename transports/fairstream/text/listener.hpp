#pragma once
/// Receives reports about work on a file or a model.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace fairstream {

/// A command prints the reports; another program may log them, throw for them, or ignore them. Each text is one line
/// without its line end, and may quote the file.
class Listener {
public:
    virtual ~Listener() = default;

    /// Reports a note on a valid result; `details` are lines of their own.
    virtual void note(const std::string& text, std::span<const std::string> details) { (void)text, (void)details; }
    void note(const std::string& text) { note(text, {}); }
    /// Reports that a result is valid but probably not what was meant.
    virtual void warn(const std::string& text) { (void)text; }
    /// Reports the share of `work`, such as "reading a.csv", that is done; below 0 if unknown. Returns whether to go
    /// on; only work in `Phase::working` may end early. Called by one thread at a time.
    virtual bool progress(const std::string& work, double share, std::string_view detail) {
        (void)work, (void)share, (void)detail;
        return true;
    }

    enum class Phase : std::uint8_t {
        reading,  ///< no result yet
        working,  ///< work may end early with the best result so far
        writing,  ///< results are being written
    };
    /// Reports that a phase begins.
    virtual void enter(Phase phase) { (void)phase; }

    /// Reports notes in their order. Equal notes are reported once, with their count. Of many notes that differ only in
    /// names and numbers, the first five are reported, then the names in the others.
    void notes(std::span<const std::string> texts);
};

}  // namespace fairstream
