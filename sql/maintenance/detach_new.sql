-- Grain: no rows. The new file is complete; nobody holds it while it is moved.
DETACH new_file;
