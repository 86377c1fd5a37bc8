#pragma once
/// Endpoints and keys of clients, as the command line and the configuration name them.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include <fairstream/zmq/control_client.hpp>
#include <fairstream/zmq/socket.hpp>

namespace fairstream::command {

/// The keys with which a client connects to an engine with keys.
struct KeyOptions {
    std::string server_key;      ///< public key of the engine; empty: no keys
    std::filesystem::path keys;  ///< file of the client's own pair
};

/// Throws `InvalidInput` unless a client can connect to `endpoint`; `option` names it in the error text.
void require_endpoint(const std::string& option, const std::string& endpoint);

/// Reads a file that `write_keys` wrote. Throws `InvalidInput`, also when users other than its owner may read or write
/// it.
[[nodiscard]] zmq::KeyPair read_keys(const std::filesystem::path& path);
/// Creates a file that only its owner may read. Throws `InvalidInput` when it exists, `std::system_error`.
void write_keys(const std::filesystem::path& path, const zmq::KeyPair& keys);

/// Returns the client's keys, or nothing without any. Throws `InvalidInput` when only one of the two options is given.
[[nodiscard]] std::optional<zmq::ClientSecurity> client_security(const KeyOptions& options);

/// Returns why an engine that runs may not answer at this endpoint, for a client with or without keys: a clause.
[[nodiscard]] std::string silence_hint(const std::string& endpoint, bool has_keys);

/// Returns how to reach the control endpoint of an engine with these keys. Throws as `client_security` does.
[[nodiscard]] zmq::ControlOptions control_options(const std::string& endpoint, double timeout_seconds,
                                                  const KeyOptions& keys);

}  // namespace fairstream::command
