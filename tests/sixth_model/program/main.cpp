/// `fairstream` with three models that its code does not know.

#include <fairstream/command/program.hpp>
#include <fairstream/models.hpp>

#include "sixth_model/ruler/ruler.hpp"
#include "sixth_model/threshold/threshold.hpp"
#include "sixth_model/trend/trend.hpp"

int main(int count, char** arguments) {
    for (const fairstream::ModelKind* kind :
         {&kind_of(fairstream::threshold::Options{}), &kind_of(fairstream::trend::Options{}),
          &kind_of(fairstream::ruler::Options{})})
        fairstream::register_model(*kind);
    return fairstream::command::run_program(count, arguments);
}
