"""Loaded by schemathesis, which knows no PDF: it sends bytes."""

import schemathesis

schemathesis.serializer.alias("application/pdf", "application/octet-stream")
