-- Adminer 4.8.1 MySQL 8.0.39 dump

SET NAMES utf8;
SET time_zone = '+00:00';
SET foreign_key_checks = 0;
SET sql_mode = 'NO_AUTO_VALUE_ON_ZERO';

DELIMITER ;;

DROP EVENT IF EXISTS `nightly`;;
CREATE EVENT `nightly` ON SCHEDULE EVERY 1 DAY STARTS '2026-11-28 00:00:00' ON COMPLETION NOT PRESERVE ENABLE DO DELETE FROM goods WHERE name IS NULL;;

DELIMITER ;

SET NAMES utf8mb4;

DROP TABLE IF EXISTS `goods`;
CREATE TABLE `goods` (
  `id` int NOT NULL AUTO_INCREMENT,
  `name` varchar(100) DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;

INSERT INTO `goods` (`id`, `name`) VALUES
(1,	'চা'),
(2,	'it\'s; tea');

-- 2026-11-28 01:00:00
