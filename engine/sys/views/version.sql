-- The version of sys that these views are those of, and the server's: one row.
SELECT '2.1.3' AS sys_version, -- varchar(5) NOT NULL
       VERSION() AS mysql_version -- varchar(10) NOT NULL
