-- Settings of a person's own queries against the warehouse: no other file can be read or written.
SET enable_external_access = false;
