"""What the tables of a source mean in the ontology: the config's mapping as SQL, its checks, and a proposal of one."""
