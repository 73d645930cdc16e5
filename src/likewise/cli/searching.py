"""`likewise search`: the documents that match best."""
