// The bindings by family: each adds its functions and classes to the module.
#pragma once

#include <nanobind/nanobind.h>

namespace likewise::bindings {

void bind_text(nanobind::module_& m);      // Counter, Stems, forms
void bind_lines(nanobind::module_& m);     // scan, Lines, Texts, Codes, TitleCounter
void bind_products(nanobind::module_& m);  // Counts, Values, best
void bind_passes(nanobind::module_& m);    // Pass, scale, are_counts
void bind_dense(nanobind::module_& m);     // products with dense matrices
void bind_latent(nanobind::module_& m);    // fold, pack, mean_direction
void bind_solvers(nanobind::module_& m);   // Rows, Descent, Judged
void bind_pairs(nanobind::module_& m);     // Pairs, Draws, combined, chance
void bind_search(nanobind::module_& m);    // Postings, StringTables, TitleText
void bind_files(nanobind::module_& m);     // map_file, release_pages, read_through, Frames

}  // namespace likewise::bindings
