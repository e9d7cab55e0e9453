// Holds the precompiled header that kw_torch_part reuses.
