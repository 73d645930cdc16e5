// Texts in, rows of term counts out. Threads count blocks of documents into tables of their own;
// numbers are given afterwards, block by block in document order, so that they never depend on
// which thread did what. A thread may count batches while another absorbs those before.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "csr.h"
#include "numbering.h"
#include "row_maker.h"
#include "stems.h"
#include "tokenize.h"

namespace likewise {

using Texts = std::vector<std::vector<std::string_view>>;  // per field, one text a document

class Counter {
public:
    // Where `digits_stay`, forms of ASCII letters and digits that have a digit are terms as they are. `stems`,
    // if there are any, say what forms of ASCII letters stand for; they outlive the counter.
    Counter(unsigned threads, std::size_t max_bytes, bool bigrams, bool digits_stay, const Stems* stems = nullptr);
    ~Counter();
    Counter(const Counter&) = delete;
    Counter& operator=(const Counter&) = delete;

    void set_classes(std::vector<std::uint8_t> classes);
    bool has_classes() const { return !classes_.empty(); }

    // Numbers the term, if it is new.
    std::uint32_t know(std::string_view term) { return terms_.add(term).first; }

    // Counts a batch; the numbers of its new forms whose meanings are asked for.
    std::vector<std::uint32_t> count(const Texts& fields);
    const Strings& forms() const;

    // Makes rows of the oldest batch counted and not yet absorbed: the i-th of the forms that were asked
    // for stands for terms[ends[i - 1] … ends[i]).
    void absorb(std::span<const std::string_view> terms, std::span<const std::size_t> ends);

    void add_rows(const AnyCounts& rows, const std::vector<std::uint32_t>& terms);

    CountArrays drain();
    const Strings& terms() const { return terms_; }
    std::size_t rows() const { return rows_.starts.size() - 1; }
    std::size_t memory() const;

private:
    struct Block;
    struct Worker;
    struct Batch;
    void count_block(Worker& worker, const Texts& fields, Block& block) const;
    void split(Worker& worker, const Tokenizer& tokenize, std::string_view text) const;
    void find_numbers(Worker& worker, Block& block) const;
    void number_forms(Batch& batch);
    void reduce_some(Batch& batch, std::size_t first) const;
    Batch take(std::size_t meanings);
    void set_meaning(std::uint32_t form, std::span<const std::string_view> terms);
    template <class Use>
    void each_term(std::uint32_t meaning, Use&& use) const;
    void add_counted(const Batch& batch);
    void absorb_counts(RowMaker& maker, CountArrays& rows, const Block& block) const;
    void absorb_sequences(const Block& block);
    std::uint32_t bigram(std::uint32_t left, std::uint32_t right);

    const unsigned threads_;
    const std::size_t max_bytes_;
    const bool bigrams_, digits_stay_;
    const Stems* const stems_;
    std::vector<std::uint8_t> classes_;
    std::vector<std::unique_ptr<Worker>> workers_;
    Strings forms_;               // of all threads; where there is one, its own are these
    std::uint32_t numbered_ = 0;  // forms in the batches so far

    std::mutex mutex_;
    std::deque<Batch> waiting_;  // counted by one thread, to be absorbed by another

    std::vector<std::uint32_t> meaning_;  // of a form: a term, kDropped, or kSeveral | index
    std::vector<std::vector<std::uint32_t>> several_;
    Strings terms_;
    std::unordered_map<std::uint64_t, std::uint32_t> bigram_terms_;

    CountArrays rows_;
    RowMaker maker_;
};

}  // namespace likewise
