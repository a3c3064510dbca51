"""The benchmark of text: the corpus (`corpus.py`) and a scripted model (`endpoint.py`). Driven by `../episodes.py`."""
