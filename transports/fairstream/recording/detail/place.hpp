#pragma once
/// Whether the names of a recording's files still lead to the files that are open. Whoever deletes or replaces them
/// stops no write: what is written then goes into files that nobody finds again.

#include <string>
#include <vector>

#include <fairstream/recording/detail/database.hpp>

namespace fairstream::recording {

class Place {
public:
    /// The files must be open already. Both arguments outlive this.
    Place(const Database& database, const OpenFile& log);

    /// Throws `RecordingError` when the file, its log, or the log's index were deleted, moved or replaced.
    void check() const;

private:
    // What a name must lead to, as it was when the files were opened.
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
