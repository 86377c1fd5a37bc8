#include <cstdio>
#include <fairstream/engine.hpp>
#include <fairstream/generate/loans.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>

int main() {
    fairstream::PointColumns points;
    fairstream::generate::LoanApplicants(1).next(500, points);
    fairstream::Engine engine(
        {fairstream::generate::LoanApplicants::format(), {}, {{"fair", fairstream::safairkm::Options{}, {}}}});
    std::printf("%zu labels\n", engine.ingest(points.view()).models[0].labels().ids.size());
}
