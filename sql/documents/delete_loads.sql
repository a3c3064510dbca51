-- Grain: the last load. Landing is in the middle of being replaced from here on.
DELETE FROM documents.stratagraph_loads;
