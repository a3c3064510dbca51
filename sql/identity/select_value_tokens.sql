-- Grain: one token of a value: a word, a pair of neighbouring signs of a script without spaces, or the whole of what is not text.
-- exact: it means itself alone, so that nothing else is alike: it has a digit, a sign, or is of such a script. Input: record_values.
WITH distinct_values AS (
    SELECT DISTINCT value, field, form, text FROM record_values
), words AS (
    SELECT value, field, unnest(CASE WHEN form IN ('name', 'text') THEN string_split(text, ' ') ELSE [text] END) AS word, form FROM distinct_values
), cut AS (
    SELECT value, field, unnest(CASE
        WHEN form IN ('name', 'text') AND length(word) > 2
             AND regexp_full_match(word, '[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]+')
        THEN [substr(word, i, 2) FOR i IN range(1, length(word))] ELSE [word] END) AS token
    FROM words
)
SELECT DISTINCT value, field, token, NOT regexp_full_match(token, '[\p{Latin}\p{Greek}\p{Cyrillic}\p{M}]+') AS exact FROM cut WHERE token <> ''
