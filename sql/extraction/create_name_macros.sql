-- Grain: helper. name_units(text): the words of a name or text as they are compared: lower case, full-width letters as ASCII, no
-- apostrophes ("'s" is a word of its own, so that "Acme's" names Acme), Chinese and kana by the character. `embedded/names.py` does the same.
CREATE OR REPLACE TEMP MACRO name_units(text) AS regexp_extract_all(
    translate(
        regexp_replace(
            lower(nfc_normalize(translate(
                text, 'ＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚ０１２３４５６７８９＋＃＆＠％＇　',
                'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+#&@%'' '
            ))),
            '[''’‘ʼ`´]s\b', ' s ', 'g'
        ),
        '''’‘ʼ`´', ''
    ),
    '[\x{3040}-\x{30ff}\x{3400}-\x{4dbf}\x{4e00}-\x{9fff}\x{f900}-\x{faff}]'
    '|(?:[^\s\p{P}\p{Z}\p{C}\x{3040}-\x{30ff}\x{3400}-\x{4dbf}\x{4e00}-\x{9fff}\x{f900}-\x{faff}]|[#&@%])+'
);
