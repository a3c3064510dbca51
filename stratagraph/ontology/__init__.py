"""The ontology of a project: reading OWL files, what follows from their axioms, and checks against them."""
