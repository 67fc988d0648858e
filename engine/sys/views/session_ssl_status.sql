-- How connections are encrypted: a row for each, with empty texts where it is not.
SELECT v.THREAD_ID AS thread_id, -- bigint unsigned NOT NULL
       v.VARIABLE_VALUE AS ssl_version, -- varchar(1024)
       c.VARIABLE_VALUE AS ssl_cipher, -- varchar(1024)
       r.VARIABLE_VALUE AS ssl_sessions_reused -- varchar(1024)
  FROM performance_schema.status_by_thread v
  LEFT JOIN performance_schema.status_by_thread c ON c.THREAD_ID = v.THREAD_ID AND c.VARIABLE_NAME = 'Ssl_cipher'
  LEFT JOIN performance_schema.status_by_thread r ON r.THREAD_ID = v.THREAD_ID AND r.VARIABLE_NAME = 'Ssl_sessions_reused'
 WHERE v.VARIABLE_NAME = 'Ssl_version'
