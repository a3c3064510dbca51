-- And as recorded an hour later, after the correction?
SELECT office, person, party FROM office_holders_as_of('1973-06-01', '2013-03-16 15:50:00+00') ORDER BY office, person;
