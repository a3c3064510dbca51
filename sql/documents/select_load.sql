-- Grain: the last whole load, none if there was none. Input: documents.stratagraph_loads.
SELECT fingerprint, files, documents, turns, refused FROM documents.stratagraph_loads
