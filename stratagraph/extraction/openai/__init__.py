"""The engine that asks a language model: what is asked (`prompt.py`), how (`engine.py`), how an answer is read (`answers.py`)."""
