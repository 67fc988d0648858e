SELECT VERSION();
SELECT variable_name FROM performance_schema.user_variables_by_thread WHERE variable_value IS NOT NULL;
SELECT @@foreign_key_checks;
SELECT GET_LOCK('Flyway-1', 10);
SELECT RELEASE_LOCK('Flyway-1');
