"""Results as text, for people and for programs. What is computed belongs to the library."""
