-- Settings of a reader's connection and all its cursors: UTC, no Python variables, no downloads; then locked.
SET GLOBAL TimeZone = 'UTC';
SET GLOBAL python_enable_replacements = false;
SET GLOBAL autoinstall_known_extensions = false;
SET GLOBAL lock_configuration = true;
