-- Settings of every connection: UTC, no reads of Python variables from SQL, no downloads of extensions.
SET TimeZone = 'UTC';
SET python_enable_replacements = false;
SET autoinstall_known_extensions = false;
