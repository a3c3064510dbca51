-- Grain: one row, the load that has just succeeded. Input: documents.documents, turns and refused, $fingerprint, $files.
INSERT INTO documents.stratagraph_loads
SELECT $fingerprint AS fingerprint, $files AS files,
       (SELECT count(*) FROM documents.documents) AS documents,
       (SELECT count(*) FROM documents.turns) AS turns,
       (SELECT count(*) FROM documents.refused) AS refused;
