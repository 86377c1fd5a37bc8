#pragma once
/// For the main function of a process that only serves an engine.

namespace fairstream::zmq {

/// Lets the process keep the memory that messages free, rather than hand it back and fault it in again with the next
/// one: at 64 KiB to 1 MiB that costs more than the work on them. Changes the C library's allocator for the whole
/// process, so it is for programs, not for libraries inside a host. Call it first. Does nothing where the C library is
/// not glibc.
void keep_freed_memory() noexcept;

}  // namespace fairstream::zmq
