/// Groups and shares of clusters at their extremes.

#include <gtest/gtest.h>

#include "model_bench.hpp"

namespace fairstream::lord {
namespace {

using namespace fairstream::test;

// Two clouds without an edge between them, and a group that lies in only one of them.
TEST(LordEdgeCases, GroupIsSeparateCloud) {
    for (const Options& options : all_forms(2)) {
        const SeparatedStream two{two_attributes(3), 2};
        PointColumns points = two.points(0, 120);
        for (std::size_t i = 0; i < 120; ++i) points.groups[2 * i] = static_cast<GroupId>(two.blob(points.ids[i]));
        LordBench bench(options, two.format);
        bench.ingest(points.view());
        expect_sound(bench);
        if (options.fair == Fair::proportional) {
            EXPECT_LE(share_gap_of(bench, 0), 1e-6);
        }
    }
}

TEST(LordEdgeCases, PriorsThatAreFarApart) {
    for (Options options : all_forms(3)) {
        options.priors = {1e-6, 1, 1e6};
        LordBench bench(options);
        for (const PointColumns& batch : batches(two_attributes(), 2, 100, 3)) {
            bench.ingest(batch.view());
            expect_sound(bench);
        }
    }
}

}  // namespace
}  // namespace fairstream::lord
