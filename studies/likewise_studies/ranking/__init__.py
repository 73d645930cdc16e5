"""Bipartite ranking by active sampling (Shen & Lin)."""
