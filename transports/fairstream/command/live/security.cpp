#include <fairstream/command/live/security.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <fstream>
#include <system_error>

#include <fairstream/base/types.hpp>
#include <fairstream/command/live/reachability.hpp>

namespace fairstream::command {
namespace {

constexpr std::string_view public_label = "public ", secret_label = "secret ";

}  // namespace

void require_endpoint(const std::string& option, const std::string& endpoint) {
    for (const std::string_view scheme : {"tcp://", "ipc://"}) {
        if (endpoint.starts_with(scheme) && endpoint.size() > scheme.size()) return zmq::check_connectable(endpoint);
    }
    throw InvalidInput(Reason::bad_option, option + " " + endpoint + ": must be tcp://HOST:PORT or ipc://PATH");
}

zmq::KeyPair read_keys(const std::filesystem::path& path) {
    std::error_code unreadable;
    const auto mode = std::filesystem::status(path, unreadable).permissions();
    constexpr auto of_others = std::filesystem::perms::group_all | std::filesystem::perms::others_all;
    if (!unreadable && (mode & of_others) != std::filesystem::perms::none) {
        throw InvalidInput(Reason::bad_option,
                           path.string() +
                               ": users other than its owner can read or write this file of secret keys; make it "
                               "private with chmod 600, and make a new pair of keys if others may have read it");
    }
    if (!std::filesystem::exists(path, unreadable))
        throw InvalidInput(Reason::bad_option,
                           path.string() + ": no such file of keys; a relative path starts at the current directory");
    if (!std::filesystem::is_regular_file(path, unreadable))
        throw InvalidInput(Reason::bad_option, path.string() + ": is not a file of keys: not a regular file");
    std::ifstream file(path);
    zmq::KeyPair keys;
    std::string line;
    while (std::getline(file, line)) {
        if (line.starts_with(public_label)) keys.public_key = line.substr(public_label.size());
        if (line.starts_with(secret_label)) keys.secret_key = line.substr(secret_label.size());
    }
    if (keys.public_key.empty() || keys.secret_key.empty()) {
        throw InvalidInput(Reason::bad_option,
                           path.string() + ": is not a file of keys: it needs the lines 'public KEY' and 'secret KEY'");
    }
    try {
        check(keys);
    } catch (const InvalidInput& error) {
        throw InvalidInput(error.reason(), path.string() + ": " + error.what());
    }
    return keys;
}

void write_keys(const std::filesystem::path& path, const zmq::KeyPair& keys) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0 && errno == EEXIST)
        throw InvalidInput(Reason::bad_option, path.string() + ": exists already; keys are not replaced");
    if (file < 0) throw std::system_error(errno, std::generic_category(), path.string());
    const std::string text =
        std::string(public_label) + keys.public_key + "\n" + std::string(secret_label) + keys.secret_key + "\n";
    const bool written = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    const int error = errno;
    if (::close(file) != 0 || !written) throw std::system_error(error, std::generic_category(), path.string());
}

std::optional<zmq::ClientSecurity> client_security(const KeyOptions& options) {
    if (options.server_key.empty() && options.keys.empty()) return std::nullopt;
    if (options.server_key.empty() || options.keys.empty()) {
        throw InvalidInput(Reason::bad_option, "an encrypted connection needs both --server-key and --keys");
    }
    return zmq::ClientSecurity{options.server_key, read_keys(options.keys)};
}

std::string silence_hint(const std::string& endpoint, bool has_keys) {
    if (std::string why = why_unreachable(endpoint); !why.empty()) return why;
    return has_keys ? "an engine does not answer if it has another key, or refuses this client's key; its log shows "
                      "the refused key"
                    : "an engine with keys does not answer a client without --keys and --server-key";
}

zmq::ControlOptions control_options(const std::string& endpoint, double timeout_seconds, const KeyOptions& keys) {
    zmq::ControlOptions control;
    control.endpoint = endpoint;
    control.timeout = std::chrono::ceil<std::chrono::milliseconds>(std::chrono::duration<double>(timeout_seconds));
    control.security = client_security(keys);
    return control;
}

}  // namespace fairstream::command
