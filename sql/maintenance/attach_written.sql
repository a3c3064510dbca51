-- Grain: no rows. The new file as it stands on the disk, where what was just written is compared.
USE memory;
DETACH new_file;
ATTACH '{new}' AS new_file (READ_ONLY);
