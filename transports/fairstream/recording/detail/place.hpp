#pragma once
/// A check that the names of a recording's files still lead to the open files. Deleting or replacing them stops no
/// write: later writes go into files that nobody finds again.

#include <string>
#include <vector>

#include <fairstream/recording/detail/database.hpp>

namespace fairstream::recording {

class Place {
public:
    /// Notes which files the names lead to now. The files must be open already; both arguments must outlive this.
    Place(const Database& database, const OpenFile& log);

    /// Throws `RecordingError` when the file, its log, or the log's index were deleted, moved or replaced.
    void check() const;

private:
    // A name and the file that it led to when the files were opened.
    struct Named {
        std::filesystem::path path;
        FileStatus file;
    };

    void require_same(const Named& named, const std::string& what) const;

    const Database& database_;
    Named file_;
    Named log_;
    Named index_;
};

}  // namespace fairstream::recording
