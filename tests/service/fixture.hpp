#pragma once
/// A service on a recording of its own, for tests of single rules.

#include <memory>

#include <fairstream/config/config.hpp>
#include <fairstream/log/sqlite/recording.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/service_stream.hpp"
#include "support/temporary_directory.hpp"

namespace fairstream::service {

using namespace fairstream::test;

class ServiceTest : public testing::Test {
protected:
    void begin(const Settings& settings = {}, const EngineOptions& options = small_options()) {
        options_ = options;
        service_.reset();
        std::filesystem::remove(path_);
        service_ = std::make_unique<Service>(log::sqlite::Recording::create(path_, config::write_toml(options_)),
                                             options_, settings);
    }
    /// Reopens the service as after a kill: uncommitted events are gone.
    void reopen(const Settings& settings = {}, const Service::Progress& progress = {}) {
        service_.reset();
        service_ = std::make_unique<Service>(log::sqlite::Recording::open(path_), options_, settings, 0, progress);
    }
    /// A batch of `count` new points, numbered `number`.
    [[nodiscard]] Message batch(const std::string& producer, std::uint64_t epoch, std::uint64_t number,
                                std::size_t count = 20) {
        columns_ = points_.next(count);
        return event(producer, epoch, number, columns_.view());
    }
    /// Takes in and commits `count` valid batches of producer "p", epoch 1, starting with `first`.
    void feed(std::uint64_t first, std::uint64_t count) {
        for (std::uint64_t number = first; number < first + count; ++number) {
            ASSERT_TRUE(std::holds_alternative<wire::Ack>(send(*service_, batch("p", 1, number)).value.body));
        }
    }

    TemporaryDirectory directory_;
    std::filesystem::path path_ = directory_ / "stream.fairstream";
    EngineOptions options_;
    std::unique_ptr<Service> service_;
    Points points_{11};
    PointColumns columns_;
};

}  // namespace fairstream::service
