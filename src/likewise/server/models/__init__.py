"""What goes over the wire, with examples. The module names follow the routes."""
