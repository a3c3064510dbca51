"""Text2KGBench (ISWC 2023): its files, its metrics, and what an extractor must be told to be measured by them."""
