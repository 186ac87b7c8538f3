-- Adminer 5.0.5 MySQL 8.0.39 dump

SET NAMES utf8;
SET time_zone = '+00:00';
SET foreign_key_checks = 0;
SET sql_mode = 'NO_AUTO_VALUE_ON_ZERO';

DELIMITER ;;

DROP PROCEDURE IF EXISTS `renew`;;
CREATE PROCEDURE `renew` (IN `days` int)
BEGIN UPDATE goods SET id = id + days; END;;

DELIMITER ;

SET NAMES utf8mb4;

DROP TABLE IF EXISTS `goods`;
CREATE TABLE `goods` (
  `id` int NOT NULL AUTO_INCREMENT,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

TRUNCATE `goods`;
INSERT INTO `goods` (`id`) VALUES (1);

-- 2026-11-28 01:00:00 UTC
