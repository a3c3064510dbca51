-- Grain: a version of a recorded source that was judged. Input: the registered relation `verdicts`.
UPDATE stratagraph.versions AS v SET state = j.state, reason = j.reason, detail = j.detail, payload = j.payload
FROM verdicts AS j WHERE v.source = $source AND v.file = j.file;
