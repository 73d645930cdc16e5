// The core as a Python module. Only the files of this folder know Python: arguments are checked and
// borrowed here, and the GIL is released.
#include "families.h"

NB_MODULE(_core, m) {
    // What a daemon thread or a cycle still holds when Python ends is nothing to tell its user about.
    nanobind::set_leak_warnings(false);
    likewise::bindings::bind_lines(m);
    likewise::bindings::bind_text(m);
    likewise::bindings::bind_products(m);
    likewise::bindings::bind_passes(m);
    likewise::bindings::bind_dense(m);
    likewise::bindings::bind_latent(m);
    likewise::bindings::bind_solvers(m);
    likewise::bindings::bind_pairs(m);
    likewise::bindings::bind_search(m);
    likewise::bindings::bind_files(m);
}
