-- A sample database, with views and programs that name their database
SET @OLD_UNIQUE_CHECKS=@@UNIQUE_CHECKS, UNIQUE_CHECKS=0;
DROP SCHEMA IF EXISTS cinema;
CREATE SCHEMA cinema;
USE cinema;

CREATE TABLE actor (actor_id INT PRIMARY KEY, name VARCHAR(45));
CREATE TABLE film (film_id INT PRIMARY KEY, title VARCHAR(128));
CREATE TABLE film_actor (actor_id INT, film_id INT);

CREATE DEFINER=CURRENT_USER SQL SECURITY INVOKER VIEW actor_info
AS
SELECT a.actor_id, a.name,
(SELECT GROUP_CONCAT(f.title ORDER BY f.title SEPARATOR ', ')
  FROM cinema.film f INNER JOIN cinema.film_actor fa ON f.film_id = fa.film_id
  WHERE fa.actor_id = a.actor_id) AS film_info
FROM cinema.actor a LEFT JOIN cinema.film_actor fc ON a.actor_id = fc.actor_id
GROUP BY a.actor_id, a.name;

DELIMITER ;;
CREATE TRIGGER `ins_film` AFTER INSERT ON `film` FOR EACH ROW BEGIN
    INSERT INTO cinema.film_actor (actor_id, film_id)
        VALUES (1, new.film_id);
  END;;
DELIMITER ;
INSERT INTO cinema.film VALUES (1, 'Tea; milk');
