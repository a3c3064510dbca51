"""Data for the benchmark of foreign keys: schemas whose keys are known, and a large one that is made up."""
