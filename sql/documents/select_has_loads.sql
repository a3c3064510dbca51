-- Grain: one row if documents were ever loaded into this landing file.
SELECT 1 AS found FROM information_schema.tables WHERE table_schema = 'documents' AND table_name = 'stratagraph_loads'
