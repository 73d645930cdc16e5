"""Many machines: what runs on the workers of a Dask cluster, and the way there."""
