-- The average, in microseconds, that more than 95 of 100 digests do not exceed: one row, if there are digests.
SELECT of_all.avg_us AS avg_us, -- decimal(21,0)
       of_all.percentile AS percentile -- decimal(46,4) NOT NULL
  FROM (SELECT d.avg_us AS avg_us,
               SUM(d.cnt) OVER (ORDER BY d.avg_us) / SUM(d.cnt) OVER () AS percentile
          FROM sys.`x$ps_digest_avg_latency_distribution` d) of_all
 WHERE of_all.percentile > 0.95
 ORDER BY of_all.percentile
 LIMIT 1
