// The bindings by family: each adds its functions and classes to the module.
#pragma once

#include <nanobind/nanobind.h>

namespace likewise::bindings {

void bind_text(nanobind::module_& m);      // Counter, Stems, forms
void bind_lines(nanobind::module_& m);     // scan, Lines, Texts, Codes, TitleCounter
void bind_products(nanobind::module_& m);  // Counts, Values, best, are_counts
void bind_passes(nanobind::module_& m);    // Pass, scale, add_row_sizes
void bind_dense(nanobind::module_& m);     // products with dense matrices
void bind_latent(nanobind::module_& m);    // fold, pack, mean_direction
void bind_solvers(nanobind::module_& m);   // Rows, Descent, Judged
void bind_pairs(nanobind::module_& m);     // Pairs, Draws, combined, chance
void bind_search(nanobind::module_& m);    // Postings, StringTables, TitleText
void bind_files(nanobind::module_& m);     // map_file, read_through, Frames, FrameReader

}  // namespace likewise::bindings
