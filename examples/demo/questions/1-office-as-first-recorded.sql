-- Who held the two offices on 1970-01-01, as recorded on 2013-03-16 at 14:50 UTC? (The file had it wrong.)
SELECT office, person, party FROM office_holders_as_of('1970-01-01', '2013-03-16 14:50:00+00') ORDER BY office, person;
