#include "support/replaced_new.hpp"
