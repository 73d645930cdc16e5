#include "count.h"

#include <atomic>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#include "ascii_words.h"
#include "parallel.h"

namespace likewise {

namespace {

constexpr std::uint32_t kDropped = 0xFFFFFFFFu;
constexpr std::uint32_t kSeveral = 0x80000000u;
constexpr std::uint32_t kFieldEnd = 0xFFFFFFFFu;  // in a sequence: no pair reaches across
constexpr std::size_t kBlockBytes = 1 << 15;      // of text; small enough to share out evenly
constexpr std::size_t kBytesPerForm = 10;         // of text, for each distinct form of a document

constexpr std::size_t kReduced = 256;             // forms that a thread reduces at a time

enum class Kind { kLetters, kDigits, kOther };

// Whether a form is of ASCII letters, has a digit among them, or is anything else.
Kind kind_of(std::string_view form) {
    auto kind = Kind::kLetters;
    for (const char c : form) {
        if (static_cast<unsigned char>(c) >= 0x80) return Kind::kOther;
        if (c >= '0' && c <= '9') kind = Kind::kDigits;
    }
    return kind;
}

}  // namespace

// What one thread saw in some consecutive documents: in its own numbers for forms, until all is counted.
struct Counter::Block {
    std::size_t first = 0, last = 0;     // documents
    std::vector<std::uint32_t> forms;    // per document its distinct forms, or the whole sequence
    std::vector<std::uint32_t> counts;   // parallel to forms; empty for sequences
    std::vector<std::size_t> ends;       // of each document in forms
    std::vector<std::uint32_t> fresh;    // forms that were new to the thread, in order
    std::size_t worker = 0;
};

struct Counter::Worker {
    AsciiWords words;
    std::string text;                    // the forms of one field of one document
    std::vector<Strings::Key> keys;
    Strings forms;
    std::uint32_t row = 0;               // documents begun; what is noted beside a form says which had it last
    std::vector<std::uint32_t> number;   // of a form in Counter::forms_
    RowMaker maker;
};

struct Counter::Batch {
    std::vector<Block> blocks;
    std::uint32_t first_form = 0, last_form = 0;  // the new ones
    std::vector<std::uint32_t> asked;             // those of them whose meanings are asked for
    std::vector<std::string> kept;                // the terms of the others; empty where they have none
    std::vector<std::uint32_t> letters;           // of these, the ones that are to be reduced
};

Counter::Counter(unsigned threads, std::size_t max_bytes, bool bigrams, bool digits_stay, const Stems* stems)
    : threads_(std::max(threads, 1u)),
      max_bytes_(max_bytes),
      bigrams_(bigrams),
      digits_stay_(digits_stay),
      stems_(stems) {
    Tokenizer({}, max_bytes);  // refuses a length out of range
    for (unsigned i = 0; i < threads_; ++i) workers_.push_back(std::make_unique<Worker>());
}

Counter::~Counter() = default;

void Counter::set_classes(std::vector<std::uint8_t> classes) {
    if (classes.size() != 0x110000) throw std::invalid_argument("classes needs one entry a code point");
    classes_ = std::move(classes);
}

std::vector<std::uint32_t> Counter::count(const Texts& fields) {
    Batch batch;
    const std::size_t documents = fields.empty() ? 0 : fields.front().size();
    for (const auto& field : fields)
        if (field.size() != documents) throw std::invalid_argument("fields differ in their number of texts");
    std::size_t bytes = 0;
    Block block;
    for (std::size_t i = 0; i < documents; ++i) {
        for (const auto& field : fields) bytes += field[i].size();
        if (bytes >= kBlockBytes || i + 1 == documents) {
            block.last = i + 1;
            batch.blocks.push_back(block);
            block.first = i + 1;
            bytes = 0;
        }
    }
    // Each worker takes the next block in order, so a form new to the batch is new to its worker.
    std::atomic<std::size_t> next{0};
    parallel(workers_.size(), threads_, [&](std::size_t w) {
        for (std::size_t b = next++; b < batch.blocks.size(); b = next++) {
            batch.blocks[b].worker = w;
            count_block(*workers_[w], fields, batch.blocks[b]);
        }
    });
    number_forms(batch);
    const auto reduced = (batch.letters.size() + kReduced - 1) / kReduced;
    const auto renumbered = threads_ == 1 ? 0 : batch.blocks.size();
    parallel(reduced + renumbered, threads_, [&](std::size_t task) {
        if (task < reduced) return reduce_some(batch, task * kReduced);
        const auto b = task - reduced;
        const auto& number = workers_[batch.blocks[b].worker]->number;
        for (auto& form : batch.blocks[b].forms)
            if (form != kFieldEnd) form = number[form];
    });
    auto asked = batch.asked;
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(batch));
    return asked;
}

void Counter::count_block(Worker& worker, const Texts& fields, Block& block) const {
    const Tokenizer tokenize(classes_, max_bytes_);
    block.forms.reserve(kBlockBytes / kBytesPerForm);
    if (!bigrams_) block.counts.reserve(kBlockBytes / kBytesPerForm);
    for (std::size_t i = block.first; i < block.last; ++i) {
        const auto row = ++worker.row;
        for (const auto& field : fields) {
            split(worker, tokenize, field[i]);
            for (const auto& key : worker.keys) {
                const auto [form, fresh, note] = worker.forms.meet(key);
                if (fresh) block.fresh.push_back(form);
                if (bigrams_) {
                    block.forms.push_back(form);
                } else if (note.row != row) {
                    note = {row, static_cast<std::uint32_t>(block.forms.size())};
                    block.forms.push_back(form);
                    block.counts.push_back(1);
                } else {
                    ++block.counts[note.place];
                }
            }
            if (bigrams_) block.forms.push_back(kFieldEnd);
        }
        block.ends.push_back(block.forms.size());
    }
    find_numbers(worker, block);
}

// Forms that other threads have met before have numbers: only those new to all are left to be numbered
// one after another.
void Counter::find_numbers(Worker& worker, Block& block) const {
    if (threads_ == 1) return;  // there are no others
    worker.number.resize(worker.forms.size(), Strings::kNone);
    std::erase_if(block.fresh, [&](std::uint32_t form) {
        const auto number = forms_.find(Strings::Key(worker.forms[form]));
        worker.number[form] = number;
        return number != Strings::kNone;
    });
}

// Forms first, look-ups after: so that each look-up's place is being fetched meanwhile.
void Counter::split(Worker& worker, const Tokenizer& tokenize, std::string_view text) const {
    worker.keys.clear();
    const auto keep = [&](const Strings::Key& key) {
        worker.forms.prefetch(key);
        worker.keys.push_back(key);
    };
    if (worker.words.read(text)) {
        static_assert(AsciiWords::kPadding >= Strings::Key::kReadable);
        worker.words.each(max_bytes_, [&](std::string_view form) { keep(Strings::Key::padded(form)); });
        return;
    }
    worker.text.resize(2 * text.size());  // pairs of CJK characters take each character twice
    char* at = worker.text.data();
    tokenize(text, [&](std::string_view form) {
        std::memcpy(at, form.data(), form.size());
        keep(Strings::Key(std::string_view(at, form.size())));
        at += form.size();
    });
}

// A thread that is alone has met forms in the documents' order already.
const Strings& Counter::forms() const { return threads_ == 1 ? workers_.front()->forms : forms_; }

void Counter::number_forms(Batch& batch) {
    batch.first_form = numbered_;
    if (threads_ > 1)
        for (const Block& block : batch.blocks) {
            Worker& worker = *workers_[block.worker];
            for (const auto form : block.fresh) worker.number[form] = forms_.add(worker.forms[form]).first;
        }
    batch.last_form = numbered_ = forms().size();
    for (auto number = batch.first_form; number < batch.last_form; ++number) {
        const auto form = forms()[number];
        const auto kind = kind_of(form);
        if (digits_stay_ && kind == Kind::kDigits) {
            batch.kept.emplace_back(form);
        } else if (stems_ != nullptr && kind == Kind::kLetters) {
            batch.letters.push_back(static_cast<std::uint32_t>(batch.kept.size()));
            batch.kept.emplace_back(form);
        } else {
            batch.asked.push_back(number);
        }
    }
}

void Counter::reduce_some(Batch& batch, std::size_t first) const {
    const auto some = std::span(batch.letters).subspan(first, std::min(kReduced, batch.letters.size() - first));
    std::vector<std::string> terms(some.size());
    std::vector<std::string_view> words;
    for (const auto at : some) words.emplace_back(batch.kept[at]);
    stems_->reduce(words, terms);
    for (std::size_t i = 0; i < some.size(); ++i) batch.kept[some[i]] = std::move(terms[i]);
}

// The oldest batch that waits; it stays where this many meanings are not what it waits for.
Counter::Batch Counter::take(std::size_t meanings) {
    const std::lock_guard lock(mutex_);
    if (waiting_.empty()) throw std::logic_error("no batch is waiting");
    if (waiting_.front().asked.size() != meanings) throw std::invalid_argument("one meaning a new form is needed");
    Batch batch = std::move(waiting_.front());
    waiting_.pop_front();
    return batch;
}

void Counter::set_meaning(std::uint32_t form, std::span<const std::string_view> terms) {
    if (terms.empty()) {
        meaning_[form] = kDropped;
    } else if (terms.size() == 1) {
        meaning_[form] = know(terms.front());
    } else {
        meaning_[form] = kSeveral | static_cast<std::uint32_t>(several_.size());
        several_.emplace_back();
        for (const auto term : terms) several_.back().push_back(know(term));
    }
}

template <class Use>
void Counter::each_term(std::uint32_t meaning, Use&& use) const {
    if (meaning == kDropped) return;
    if ((meaning & kSeveral) == 0) {
        use(meaning);
        return;
    }
    for (const auto term : several_[meaning & ~kSeveral]) use(term);
}

void Counter::absorb(std::span<const std::string_view> terms, std::span<const std::size_t> ends) {
    const Batch batch = take(ends.size());
    meaning_.resize(batch.last_form);
    std::size_t begin_term = 0, answered = 0, kept = 0;
    for (auto form = batch.first_form; form < batch.last_form; ++form) {
        if (answered == ends.size() || batch.asked[answered] != form) {
            const auto& term = batch.kept[kept++];
            meaning_[form] = term.empty() ? kDropped : know(term);
            continue;
        }
        set_meaning(form, terms.subspan(begin_term, ends[answered] - begin_term));
        begin_term = ends[answered++];
    }
    maker_.set_width(terms_.size());
    if (bigrams_)
        for (const Block& block : batch.blocks) absorb_sequences(block);
    else
        add_counted(batch);
}

// Blocks become rows on any thread, and stand one below another in the documents' order.
void Counter::add_counted(const Batch& batch) {
    if (threads_ == 1) {
        for (const Block& block : batch.blocks) absorb_counts(maker_, rows_, block);
        return;
    }
    std::vector<CountArrays> made(batch.blocks.size());
    std::atomic<std::size_t> next{0};
    parallel(std::min(workers_.size(), made.size()), threads_, [&](std::size_t w) {
        auto& maker = workers_[w]->maker;
        maker.set_width(terms_.size());
        for (std::size_t b = next++; b < made.size(); b = next++) absorb_counts(maker, made[b], batch.blocks[b]);
    });
    for (const auto& rows : made) append_rows(rows_, rows);
}

void Counter::absorb_counts(RowMaker& maker, CountArrays& rows, const Block& block) const {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> kept;  // of a document: forms' meanings, and counts
    std::size_t p = 0;
    for (const auto end : block.ends) {
        kept.resize(std::max(kept.size(), end - p));
        std::size_t size = 0;
        for (; p < end; ++p) {  // no branch on what is dropped: it would be mispredicted
            const auto meaning = meaning_[block.forms[p]];
            kept[size] = {meaning, block.counts[p]};
            size += meaning != kDropped;
        }
        for (const auto& [meaning, count] : std::span(kept.data(), size))
            each_term(meaning, [&, n = count](std::uint32_t term) { maker.add(term, n); });
        maker.end_row(rows);
    }
}

void Counter::absorb_sequences(const Block& block) {
    std::size_t p = 0;
    for (const auto end : block.ends) {
        std::uint32_t before = kDropped;
        for (; p < end; ++p) {
            if (block.forms[p] == kFieldEnd) {
                before = kDropped;
                continue;
            }
            each_term(meaning_[block.forms[p]], [&](std::uint32_t term) {
                maker_.add(term, 1);
                if (before != kDropped) maker_.add(bigram(before, term), 1);
                before = term;
            });
        }
        maker_.end_row(rows_);
    }
}

std::uint32_t Counter::bigram(std::uint32_t left, std::uint32_t right) {
    const auto [found, fresh] = bigram_terms_.try_emplace(std::uint64_t{left} << 32 | right, 0);
    if (fresh) {
        found->second = know(std::string(terms_[left]) + ' ' + std::string(terms_[right]));
        maker_.set_width(terms_.size());
    }
    return found->second;
}

void Counter::add_rows(const AnyCounts& any, const std::vector<std::uint32_t>& terms) {
    maker_.set_width(terms_.size());
    std::visit(
        [&](const auto& rows) {
            for (std::size_t i = 0; i < rows.rows(); ++i) {
                each_count(rows, i, [&](std::uint32_t column, std::uint32_t count) { maker_.add(terms[column], count); });
                maker_.end_row(rows_);
            }
        },
        any);
}

CountArrays Counter::drain() { return std::exchange(rows_, CountArrays{}); }

std::size_t Counter::memory() const {
    return (rows_.starts.size() + rows_.more.size() + rows_.columns.size() + rows_.large.size() * 2) * 4 +
           rows_.counts.size();
}

}  // namespace likewise
