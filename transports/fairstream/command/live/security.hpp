#pragma once
/// Endpoints and keys of clients, from the command line and the configuration.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include <fairstream/zmq/control_client.hpp>
#include <fairstream/zmq/socket.hpp>

namespace fairstream::command {

/// The keys a client needs to connect to an engine with keys.
struct KeyOptions {
    std::string server_key;      ///< public key of the engine; empty: no keys
    std::filesystem::path keys;  ///< file of the client's own pair
};

/// Throws `InvalidInput` unless a client can connect to `endpoint`; the error names the option `option`.
void require_endpoint(const std::string& option, const std::string& endpoint);

/// Reads a file that `write_keys` wrote. Throws `InvalidInput`, also when other users than its owner may read or write
/// it.
[[nodiscard]] zmq::KeyPair read_keys(const std::filesystem::path& path);
/// Creates a file that only its owner may read. Throws `InvalidInput` when it exists, `std::system_error` for failures.
void write_keys(const std::filesystem::path& path, const zmq::KeyPair& keys);

/// Returns the client's keys; nothing when no option is given. Throws `InvalidInput` when only one of the two options
/// is given.
[[nodiscard]] std::optional<zmq::ClientSecurity> client_security(const KeyOptions& options);

/// Returns a clause on why a running engine may not answer a client, with or without keys, at this endpoint.
[[nodiscard]] std::string silence_hint(const std::string& endpoint, bool has_keys);

/// Returns the options of a control client for an engine with these keys. Throws like `client_security`.
[[nodiscard]] zmq::ControlOptions control_options(const std::string& endpoint, double timeout_seconds,
                                                  const KeyOptions& keys);

}  // namespace fairstream::command
