#pragma once
/// Memory settings for the main function of a process that only serves an engine.

namespace fairstream::zmq {

/// Makes the process keep the memory that messages free. For messages of 64 KiB to 1 MiB, returning this memory to the
/// system and faulting it in again costs more than the work on the messages. Changes the allocator of the whole
/// process: for programs, not for libraries inside a host. Call it first. Does nothing without glibc.
void keep_freed_memory() noexcept;

}  // namespace fairstream::zmq
