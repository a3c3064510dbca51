"""The default engine: no model, no network, no key. What it looks for comes from the ontology (`lexicon.py`, `names.py`)."""
