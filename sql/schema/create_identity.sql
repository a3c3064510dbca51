-- Grain: one pair of nodes that may be one thing, while it is held for that, with the evidence and what was decided. decision: merge, apart,
-- open (waits for a person or a model; decided_at is 'infinity'). judge: rules, llm, manual. content_hash: of what both nodes say.
CREATE TABLE IF NOT EXISTS graph.identity_candidates (
    dataset VARCHAR NOT NULL, a VARCHAR NOT NULL, b VARCHAR NOT NULL, score DOUBLE NOT NULL, evidence VARCHAR NOT NULL,
    content_hash BLOB NOT NULL, decision VARCHAR NOT NULL, judge VARCHAR NOT NULL, reason VARCHAR NOT NULL,
    decided_at TIMESTAMPTZ NOT NULL, recorded_from TIMESTAMPTZ NOT NULL, recorded_to TIMESTAMPTZ NOT NULL
);
