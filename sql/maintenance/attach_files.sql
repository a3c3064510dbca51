-- Grain: no rows. Both files beside each other; the one that is read is shut to writers as long as it is attached.
ATTACH '{new}' AS new_file;
ATTACH '{old}' AS old_file (READ_ONLY);
USE new_file;
