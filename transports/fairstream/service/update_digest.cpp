#include <fairstream/service/update_digest.hpp>

#include <xxhash.h>

#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <variant>

namespace fairstream::service {

namespace {

class Hash {
public:
    Hash() : state_(XXH3_createState(), XXH3_freeState) {
        if (state_ == nullptr) throw std::bad_alloc();
        XXH3_64bits_reset(state_.get());
    }

    void add(std::uint64_t word) { add_bytes(std::as_bytes(std::span(&word, 1))); }
    void add(std::string_view text) { add_counted(std::span<const char>(text)); }
    template <class T> void add_counted(std::span<const T> column) {
        add(std::uint64_t{column.size()});
        add_bytes(std::as_bytes(column));
    }
    void add_bytes(std::span<const std::byte> bytes) {
        if (!bytes.empty()) XXH3_64bits_update(state_.get(), bytes.data(), bytes.size());
    }
    [[nodiscard]] std::uint64_t value() const { return XXH3_64bits_digest(state_.get()); }

private:
    std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state_;
};

void add(const Changes<NoOutput>&, Hash&) {}

template <class T> void add(const Changes<T>& changes, Hash& hash) {
    hash.add_counted(std::span<const PointId>(changes.departed));
    hash.add_counted(std::span<const PointId>(changes.ids));
    hash.add_bytes(std::as_bytes(std::span(changes.after)));
    hash.add_counted(std::span<const std::uint8_t>(changes.provisional));
}

void add_rows(const Engine& engine, const ModelUpdate& update, RowKind kind, Hash& hash) {
    const std::vector<PointId>& ids = update.rows_of[kind];
    if (ids.empty()) return;
    const Window& window = engine.window();
    const std::span<const float> rows = engine.rows(update.model, kind);
    const std::size_t k = rows.size() / window.size();
    hash.add(std::uint64_t{ids.size()});
    for (const PointId id : ids) {
        hash.add(id);
        hash.add_bytes(std::as_bytes(rows.subspan(window.find(id).value() * k, k)));
    }
}

}  // namespace

std::uint64_t update_digest(const Engine& engine, const Update& update) {
    Hash hash;
    hash.add(update.sequence);
    for (const ModelUpdate& model : update.models) {
        if (!model.changed) continue;
        hash.add(model.model);
        hash.add(static_cast<std::uint64_t>(model.solve.outcome));
        std::visit([&](const auto& changes) { add(changes, hash); }, model.changes);
        for (const RowRules& rules : row_rules) add_rows(engine, model, rules.kind, hash);
    }
    return hash.value();
}

std::string text_of(const log::Build& build) {
    return "version " + build.version + " (" + build.cpu_level + ")";
}

}  // namespace fairstream::service
