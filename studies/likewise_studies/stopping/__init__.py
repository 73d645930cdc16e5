"""When to stop: what estimates of recall say on 23 reviews, and what was true."""
