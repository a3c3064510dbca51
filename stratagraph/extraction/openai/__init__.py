"""The engine that asks a language model.

`prompt.py` says what is asked, `engine.py` asks one by one and `batch.py` many at once, `answers.py` reads what comes back.
"""
