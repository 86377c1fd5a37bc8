#include <fairstream/command/program.hpp>

int main(int count, char** arguments) {
    return fairstream::command::run_program(count, arguments);
}
