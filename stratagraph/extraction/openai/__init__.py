"""The engine that asks a language model: `prompt.py` says what is asked, `engine.py` asks, `answers.py` reads the answer."""
