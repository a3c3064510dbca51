"""Text to statements: engines that read chunks under an ontology, and the rules for what of their answers may go on.

Not here: cutting documents into chunks (documents), and what is believed of what they say (temporal).
"""
