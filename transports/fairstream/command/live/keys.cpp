#include <fairstream/command/live/keys.hpp>

#include <fairstream/command/console/print.hpp>
#include <fairstream/command/live/security.hpp>
#include <fairstream/files/written/output.hpp>

namespace fairstream::command {

int run_keys(const KeysOptions& options) {
    const zmq::KeyPair keys = zmq::generate_keys();
    write_keys(options.file, keys);
    print(keys.public_key + "\n");
    return 0;
}

}  // namespace fairstream::command
