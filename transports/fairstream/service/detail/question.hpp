#pragma once
/// A request to label or score points, with everything its answer needs, so that any thread can make the answer.

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <fairstream/answers.hpp>
#include <fairstream/service/shared_bytes.hpp>
#include <fairstream/wire/messages.hpp>

namespace fairstream::service {

class Question {
public:
    /// Returns the model in a request to label or score points; null for any other request.
    [[nodiscard]] static const std::string* model_of(const wire::ControlRequest& request);

    /// `request` borrows from `message`; `answers` belong to its model.
    Question(std::string client, std::unique_ptr<Answers> answers, wire::ControlRequest request,
             wire::AlignedMessage message, const wire::RecordingId& recording)
        : client_(std::move(client)),
          answers_(std::move(answers)),
          request_(std::move(request)),
          message_(std::move(message)),
          recording_(recording) {}

    /// Makes the reply; call it once.
    void answer();
    /// Ends `answer` soon, or before it begins; the reply is then a refusal for this reason.
    void end(Reason reason, const std::string& text);

    [[nodiscard]] bool answered() const noexcept { return answered_.load(std::memory_order_acquire); }
    /// Returns the reply; call it after `answer`.
    [[nodiscard]] const SharedBytes& reply() const noexcept { return reply_; }
    [[nodiscard]] const std::string& client() const noexcept { return client_; }

private:
    [[nodiscard]] wire::Nack refusal(const std::exception& error);

    std::string client_;
    std::unique_ptr<Answers> answers_;
    wire::ControlRequest request_;
    wire::AlignedMessage message_;
    wire::RecordingId recording_;
    std::mutex mutex_;  // guards `refusal_`
    wire::Nack refusal_;
    SharedBytes reply_;
    std::atomic<bool> answered_ = false;
};

}  // namespace fairstream::service
