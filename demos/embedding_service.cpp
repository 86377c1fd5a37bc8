/// A service that embeds the engine. It learns from customers as they come, reports how its segments change, and places
/// a new customer in a segment whose balance of sexes this customer does not push below the target.
///
///     g++ -std=c++20 embedding_service.cpp $(pkg-config --cflags --libs fairstream-engine) -o embedding_service

#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include <fairstream/engine.hpp>
#include <fairstream/fairness/measures.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>

using namespace fairstream;

class Segments {
public:
    Segments()
        : engine_(
              {.format = {.dimensions = 2, .attributes = {{"sex", {"female", "male"}}}},
               .window = {.capacity = 5000},
               .models = {{"segments", safairkm::Options{.clusters = 6, .targets = {.balance_at_least = 0.5}}, {}}}}) {
        engine_.on_update([](const Update& update) {
            const ModelUpdate& segments = update.models[0];
            std::printf("%3d  %5zu labels changed  cost %.3f  balance %.2f\n", static_cast<int>(update.sequence),
                        segments.labels().ids.size(), segments.cost, minimum_balance(segments.tally(), 0));
        });
    }
    void learn(const PointColumns& customers) { engine_.ingest(customers.view()); }
    ClusterId place(const std::vector<float>& features, GroupId sex) const {
        ClusterId segment = no_cluster;
        engine_.assign_fair("segments", features, {&sex, 1}, {&segment, 1});
        return segment;
    }

private:
    Engine engine_;
};

int main() {
    Segments service;
    std::mt19937_64 random(1);
    std::normal_distribution<float> normal;
    PointColumns customers;
    for (PointId id = 0; id < 20'000; ++id) {  // income and age; incomes differ by sex
        const GroupId sex = random() % 5 < 3 ? 1 : 0;
        customers.ids.push_back(id);
        customers.features.insert(customers.features.end(),
                                  {normal(random) + (sex == 1 ? 1.5F : 0), 2 * normal(random)});
        customers.groups.push_back(sex);
        if (customers.ids.size() == 1000) service.learn(customers), customers.clear();
    }
    std::printf("income 2, age -4: a woman joins segment %d, a man joins segment %d\n", service.place({2, -4}, 0),
                service.place({2, -4}, 1));
    try {
        service.learn({{1}, {NAN, 0}, {0}, {}});
    } catch (const InvalidInput& error) {  // the engine is unchanged
        std::printf("refused: %s\n", error.what());
    }
}
