-- Grain: one table of the landing file that documents are loaded into, and that is there.
SELECT table_name FROM information_schema.tables
WHERE table_schema = 'documents' AND table_name IN ('documents', 'turns', 'refused') ORDER BY table_name
