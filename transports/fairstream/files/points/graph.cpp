#include <fairstream/files/points/graph.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <fairstream/files/columns/groups.hpp>
#include <fairstream/files/columns/profile.hpp>
#include <fairstream/files/rows/reader.hpp>

namespace fairstream::files {
namespace {

/// Rows between two reports of progress.
constexpr std::size_t edges_per_report = 65'536;

[[noreturn]] void refuse(const std::filesystem::path& path, std::uint64_t line, const std::string& what) {
    throw InvalidInput(Reason::malformed, input_name(path) + ":" + std::to_string(line) + ": " + what);
}

void require_rows(const std::filesystem::path& path, std::size_t rows) {
    if (rows == 0) throw InvalidInput(Reason::malformed, input_name(path) + ": there are no rows after the header");
}

/// Nodes in the order of their file.
struct NodeRows {
    std::vector<std::string> names;    // as written
    std::vector<std::uint64_t> lines;  // by row
    std::vector<GroupId> groups;       // rows x a
    std::vector<Attribute> attributes;
    std::vector<ClassId> classes;  // rows, or empty
};

/// Returns the first column with one of these names, in any case of letters; nothing if there is none.
std::optional<std::size_t> column_called(const Reader& reader, std::initializer_list<std::string_view> names) {
    const std::vector<std::string>& header = reader.header();
    for (const std::string_view name : names)
        for (std::size_t i = 0; i < header.size(); ++i)
            if (in_lower_case(header[i]) == name) return i;
    return std::nullopt;
}

std::size_t column_of_nodes(const Reader& reader) {
    const auto found = column_called(reader, {"node", "id", "name"});
    return found ? *found : reader.column("node");
}

NodeRows read_node_rows(const std::filesystem::path& path, const std::vector<std::string>& group_names,
                        const std::string& class_name) {
    std::vector<GroupColumn> columns;
    for (const std::string& name : group_names) columns.push_back({name, {}});
    Reader reader(InputFile(path, passes_for(columns)));
    reader.find_all_columns();
    const std::size_t node_column = reader.shape().has_header ? column_of_nodes(reader) : 0;
    GroupReader group_reader(reader, std::move(columns));
    std::optional<ClassReader> class_reader;
    if (!class_name.empty()) class_reader.emplace(reader, class_name);
    NodeRows rows{{}, {}, {}, group_reader.attributes(), {}};
    for (std::vector<GroupId> groups; reader.next();) {
        rows.names.emplace_back(reader.trimmed_cell(node_column));
        if (rows.names.back().empty())
            reader.refuse_cell(node_column, Reason::malformed, "is empty where a node is needed");
        rows.lines.push_back(reader.line());
        group_reader.read(reader, groups);
        rows.groups.insert(rows.groups.end(), groups.begin(), groups.end());
        if (class_reader) rows.classes.push_back(class_reader->read(reader));
    }
    require_rows(path, rows.names.size());
    if (rows.names.size() > std::numeric_limits<std::uint32_t>::max())
        refuse(path, rows.lines.back(), "too many nodes");
    return rows;
}

/// Returns the names as numbers below the number of nodes; nothing if one of them is no such number.
std::optional<std::vector<std::uint32_t>> numbers_of(const std::vector<std::string>& names) {
    std::vector<std::uint32_t> numbers;
    for (const std::string& name : names) {
        std::uint32_t number = 0;
        const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
        const bool is_name = name.size() > 1 && name.front() == '0';
        if (is_name || error != std::errc() || end != name.data() + name.size() || number >= names.size())
            return std::nullopt;
        numbers.push_back(number);
    }
    return numbers;
}

/// Throws if a row has the name of an earlier row. Two rows have equal `keys` if their names are equal.
template <class Key>
void require_distinct(const std::filesystem::path& path, const NodeRows& rows, const std::vector<Key>& keys) {
    std::vector<std::size_t> order(keys.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t row) { return std::pair<const Key&, std::size_t>(keys[row], row); });
    std::optional<std::pair<std::size_t, std::size_t>> first;  // first row with a repeated key, and the earlier row
    for (std::size_t i = 1; i < order.size(); ++i)
        if (keys[order[i]] == keys[order[i - 1]] && (!first || order[i] < first->first))
            first = {order[i], order[i - 1]};
    if (first)
        refuse(path, rows.lines[first->first],
               "node " + rows.names[first->first] + " has a row already, on line " +
                   std::to_string(rows.lines[first->second]));
}

/// Reads the nodes of a graph, without edges; throws as `read_graph`.
GraphTable read_nodes(const std::filesystem::path& path, const std::vector<std::string>& group_names,
                      const std::string& class_name) {
    NodeRows rows = read_node_rows(path, group_names, class_name);
    GraphTable table{{static_cast<std::uint32_t>(rows.names.size()), {}}, std::move(rows.attributes), {}};
    const std::optional<std::vector<std::uint32_t>> numbers = numbers_of(rows.names);
    if (!numbers) {
        require_distinct(path, rows, rows.names);
        table.groups = std::move(rows.groups);
        table.classes = std::move(rows.classes);
        table.names = std::move(rows.names);
        return table;
    }
    require_distinct(path, rows, *numbers);
    const std::size_t a = table.attributes.size();
    table.groups.resize(rows.groups.size());
    table.classes.resize(rows.classes.size());
    for (std::size_t row = 0; row < numbers->size(); ++row) {
        const std::size_t node = (*numbers)[row];
        std::copy_n(rows.groups.data() + row * a, a, table.groups.data() + node * a);
        if (!rows.classes.empty()) table.classes[node] = rows.classes[row];
    }
    return table;
}

/// Reads the rows of a file of edges.
class EdgeReader {
public:
    EdgeReader(const std::filesystem::path& path, const ShapeOptions& shape, const GraphTable& table)
        : reader_(reader_of(path, shape)),
          nodes_(table.graph.nodes),
          u_(column_of({"u", "source", "from", "src"}, 0).value()),
          v_(column_of({"v", "target", "to", "dst"}, 1).value()),
          weight_(column_of({"weight", "w"}, 2)) {
        for (const std::string& name : table.names) by_name_.emplace(name, static_cast<std::uint32_t>(by_name_.size()));
    }

    /// Returns the next edge that is no loop and has a weight other than 0; counts the edges left out.
    [[nodiscard]] std::optional<Edge> next(EdgesLeftOut& left_out) {
        while (reader_.next()) {
            const Edge edge{node(u_), node(v_), weight_ ? weight(*weight_) : 1.0F};
            if (edge.u != edge.v && edge.weight > 0) return edge;
            ++(edge.u == edge.v ? left_out.loops : left_out.without_weight);
        }
        return std::nullopt;
    }
    [[nodiscard]] const Reader& reader() const noexcept { return reader_; }
    [[nodiscard]] bool has_weights() const noexcept { return weight_.has_value(); }
    /// Returns the columns that are not part of an edge.
    [[nodiscard]] std::vector<std::string> unused() const {
        std::vector<std::string> names;
        for (std::size_t i = 0; i < reader_.header().size(); ++i)
            if (i != u_ && i != v_ && weight_ != i) names.push_back(reader_.header()[i]);
        return names;
    }

private:
    /// Returns the column of an end or a weight: by one of its names, or by position without a header. Nothing if edges
    /// have no weights.
    [[nodiscard]] std::optional<std::size_t> column_of(std::initializer_list<std::string_view> names,
                                                       std::size_t place) {
        constexpr std::size_t of_weight = 2;
        const std::size_t width = reader_.header().size();
        if (!reader_.shape().has_header && width > 1) return place < width ? std::optional(place) : std::nullopt;
        const std::optional<std::size_t> found = column_called(reader_, names);
        if (found || place == of_weight) return found;
        refuse(reader_.input().path(), 1,
               "there is no column '" + std::string(*names.begin()) +
                   "': an edge needs columns u and v for its nodes, and may have a column weight" + advice());
    }
    /// Returns advice on how to name the columns, judged by the rows that follow.
    [[nodiscard]] std::string advice() {
        constexpr int most_rows = 1000;
        std::vector<std::string> names = reader_.header();
        if (names.size() < 2) return "";
        const auto is_in_header = [&](std::string_view cell) { return cell == names[0] || cell == names[1]; };
        for (int row = 0; row < most_rows && reader_.next(); ++row)
            if (is_in_header(reader_.trimmed_cell(0)) || is_in_header(reader_.trimmed_cell(1)))
                return "; its first line has a node that occurs again: add --no-header";
        names[0] = "u", names[1] = "v";
        if (names.size() > 2 && in_lower_case(names[2]).find("weight") != std::string::npos) names[2] = "weight";
        std::string text;
        for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
        if (text.find_first_of(" /&\\'\"") != std::string::npos) return "";
        return ": if the first two columns are its nodes, add --names " + text;
    }
    static Reader reader_of(const std::filesystem::path& path, ShapeOptions shape) {
        shape.has_numbered_columns = false;  // the first row of numbers is an edge
        Reader reader(InputFile(path, Passes::one, std::move(shape)));
        reader.find_all_columns();
        return reader;
    }
    [[nodiscard]] std::uint32_t node(std::size_t column) const {
        if (!by_name_.empty()) {
            const auto found = by_name_.find(reader_.trimmed_cell(column));
            if (found == by_name_.end()) reader_.refuse_cell(column, Reason::malformed, "is not a node of --nodes");
            return found->second;
        }
        const std::uint64_t node = reader_.integer(column);
        if (node >= nodes_) {
            reader_.refuse_cell(column, Reason::malformed,
                                "is not a node: they are 0 to " + std::to_string(nodes_ - 1));
        }
        return static_cast<std::uint32_t>(node);
    }
    [[nodiscard]] float weight(std::size_t column) const {
        const double value = reader_.number(column);
        const auto weight = static_cast<float>(std::min(value, 1e15));  // 1e15 is `edge_weight_limit`
        if (value < 0 || value > 1e15 || (value > 0 && weight == 0))
            reader_.refuse_cell(
                column, Reason::bad_feature,
                "is not a weight: must be 0 (no edge), or a number up to 1e15 that float32 does not round to 0");
        return weight;
    }

    Reader reader_;
    std::uint32_t nodes_;
    std::unordered_map<std::string_view, std::uint32_t> by_name_;  // borrows the names; empty: nodes are numbers
    std::size_t u_, v_;
    std::optional<std::size_t> weight_;
};

/// Leaves out edges that repeat an earlier one between the same nodes, and returns their number. Lists of undirected
/// graphs often have both directions. Throws if such edges differ in weight. `lines` holds the lines of the edges.
std::uint64_t leave_out_repeated(const std::filesystem::path& path, const std::vector<std::uint64_t>& lines,
                                 GraphTable& table) {
    std::vector<Edge>& edges = table.graph.edges;
    std::vector<std::size_t> order(edges.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return std::tuple(std::minmax(edges[i].u, edges[i].v), i); });
    std::vector<bool> is_repeated(edges.size());
    std::optional<std::pair<std::size_t, std::size_t>> first;  // first edge with another weight, and the earlier edge
    for (std::size_t i = 1, of = 0; i < order.size(); ++i) {
        const Edge &before = edges[order[of]], &edge = edges[order[i]];
        if (std::minmax(before.u, before.v) != std::minmax(edge.u, edge.v)) {
            of = i;
            continue;
        }
        is_repeated[order[i]] = true;
        if (before.weight != edge.weight && (!first || order[i] < first->first)) first = {order[i], order[of]};
    }
    if (first) {
        const auto name = [&](std::uint32_t node) {
            return table.names.empty() ? std::to_string(node) : table.names[node];
        };
        const auto [again, before] = *first;
        const auto [low, high] = std::minmax(edges[again].u, edges[again].v);
        refuse(path, lines[again],
               "nodes " + name(low) + " and " + name(high) + " were joined on line " + std::to_string(lines[before]) +
                   " already, with another weight");
    }
    std::size_t next = 0;
    return std::erase_if(edges, [&](const Edge&) { return is_repeated[next++]; });
}

}  // namespace

GraphTable read_graph(const std::filesystem::path& edges, const std::filesystem::path& nodes,
                      const std::vector<std::string>& group_names, const std::string& class_name,
                      const ShapeOptions& shape_of_edges, const std::function<void(double)>& progress) {
    GraphTable table = read_nodes(nodes, group_names, class_name);
    EdgeReader reader(edges, shape_of_edges, table);
    table.shape_of_edges = reader.reader().shape();
    table.unused_of_edges = reader.unused();
    table.has_weights = reader.has_weights();
    std::vector<std::uint64_t> lines;  // lines of the edges
    while (const auto edge = reader.next(table.left_out)) {
        table.graph.edges.push_back(*edge);
        lines.push_back(reader.reader().line());
        if (progress && lines.size() % edges_per_report == 0) progress(reader.reader().progress());
    }
    if (table.left_out.loops + table.left_out.without_weight == 0) require_rows(edges, lines.size());
    if (lines.empty()) throw InvalidInput(Reason::malformed, input_name(edges) + ": no edge joins two nodes");
    table.left_out.repeated = leave_out_repeated(edges, lines, table);
    return table;
}

}  // namespace fairstream::files
