-- Grain: what a foreign key may refer to: the values of the referenced columns, and the row that has them (had them last). Input:
-- entities. {target}: those columns, put together from positions in parts; $by_key: whether they are what tells its rows apart.
CREATE OR REPLACE TEMP TABLE {name} AS
SELECT {target} AS target, ref, label FROM entities
WHERE table_name = $referenced_table AND problem IS NULL AND class IS NOT NULL AND alone AND $by_key AND {target} IS NOT NULL
UNION ALL
SELECT target, found.ref, found.label FROM (
    SELECT target, arg_max({'ref': ref, 'label': label}, {'loaded_at': loaded_at, 'ref': ref}) AS found
    FROM (SELECT {target} AS target, ref, label, loaded_at FROM entities
          WHERE table_name = $referenced_table AND problem IS NULL AND class IS NOT NULL AND NOT (alone AND $by_key)) AS referenced
    WHERE target IS NOT NULL GROUP BY target
) AS grouped;
