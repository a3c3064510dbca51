-- Who held the two offices on 1973-06-01, as recorded on 2013-03-16 at 14:50 UTC? (The file called one of them president by mistake.)
SELECT office, person, party FROM office_holders_as_of('1973-06-01', '2013-03-16 14:50:00+00') ORDER BY office, person;
