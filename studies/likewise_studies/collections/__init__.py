"""Query by example on every collection at hand, beside other programs."""
