/// Input: the length of the file of edges (16 bits), that file, and the file of nodes.

#include <algorithm>

#include <fairstream/files/points/graph.hpp>

#include "fuzz/input.hpp"
#include "fuzz/memory_file.hpp"
#include "fuzz/oracle.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace fairstream;
    using fuzz::require;
    fuzz::Input input(data, size);
    const std::size_t length = input.number<std::uint16_t>();
    const fuzz::MemoryFile edges(input.bytes(length)), nodes(input.bytes(size));
    files::GraphTable table;
    try {
        table = files::read_graph(edges.path(), nodes.path(), {"g"});
    } catch (const InvalidInput&) {
        return 0;
    }
    check(table.graph);  // what the engine asks of a graph
    require(table.attributes.size() == 1 && table.groups.size() == table.graph.nodes, "each node has a group");
    require(table.names.empty() || table.names.size() == table.graph.nodes, "each node has a name, or none has");
    require(std::ranges::all_of(table.groups, [&](GroupId g) { return g < table.attributes[0].groups.size(); }),
            "a group is one of the attribute's");
    return 0;
}
