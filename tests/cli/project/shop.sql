CREATE TABLE companies (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE employees (id INTEGER PRIMARY KEY, name TEXT NOT NULL, company_id INTEGER REFERENCES companies (id));
INSERT INTO companies VALUES (1, 'Initech Ltd'), (2, 'Hooli Inc');
INSERT INTO employees VALUES (1, 'Peter Gibbons', 1), (2, 'Milton Waddams', 1), (3, 'Nelson Bighetti', 2);
