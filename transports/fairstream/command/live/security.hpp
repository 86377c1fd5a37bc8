#pragma once
/// How a client reaches an engine: endpoints and keys, as the command line and the configuration name them.

#include <filesystem>
#include <optional>
#include <string>

#include <fairstream/zmq/socket.hpp>

namespace fairstream::command {

/// How `send` and `watch` reach an engine that wants keys.
struct KeyOptions {
    std::string server_key;      ///< public key of the engine; empty: no keys
    std::filesystem::path keys;  ///< file of the client's own pair
};

/// Throws `InvalidInput` unless `endpoint` is one to connect to; `option` names it in the text.
void require_endpoint(const std::string& option, const std::string& endpoint);

/// Reads a file that `write_keys` wrote. Throws `InvalidInput`, also when others than its owner may read or write it.
[[nodiscard]] zmq::KeyPair read_keys(const std::filesystem::path& path);
/// Makes a file that only its owner may read. Throws `InvalidInput` when there is one, `std::system_error`.
void write_keys(const std::filesystem::path& path, const zmq::KeyPair& keys);

/// Throws `InvalidInput` when one of the two is missing.
[[nodiscard]] std::optional<zmq::ClientSecurity> client_security(const KeyOptions& options);

}  // namespace fairstream::command
