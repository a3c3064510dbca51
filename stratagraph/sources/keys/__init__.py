"""Foreign keys: what a source declares, what the config says, what is inferred; which of them are used."""
