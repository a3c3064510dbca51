-- Grain: as the table, in a total order, only what is believed now. Input: {table}, which has transaction times.
SELECT * FROM {table} AS t WHERE t.recorded_to = 'infinity' ORDER BY ALL;
