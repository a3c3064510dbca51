"""Relations as annotated examples say them: a user gives sentences with their triples, and others like them are read.

`examples.py` reads the annotations, `candidates.py` lists the spans that may be a subject or an object, `features.py` describes
them, `training.py` fits a model once and `model.py` keeps it; `reading.py` applies it to a sentence. Nothing is learned from
what is only read, and no model ships with the library: without examples none of this is used.
"""
