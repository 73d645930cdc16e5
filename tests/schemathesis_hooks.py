"""Loaded by schemathesis: PDFs and lines of JSON are bytes to it; the index is called papers."""

import schemathesis

schemathesis.serializer.alias("application/pdf", "application/octet-stream")
schemathesis.serializer.alias("application/x-ndjson", "application/octet-stream")


@schemathesis.hook
def map_path_parameters(context, path_parameters):
    """The description names no index: there is one, of which half the requests are."""
    if path_parameters and path_parameters.get("index", "x")[:1] < "m":
        path_parameters["index"] = "papers"
    return path_parameters
