-- phpMyAdmin SQL Dump
-- version 5.2.2
-- https://www.phpmyadmin.net/
--
-- Host: localhost:3306
-- Generation Time: Nov 28, 2026 at 01:00 AM
-- Server version: 8.0.43
-- PHP Version: 8.3.1

SET FOREIGN_KEY_CHECKS=0;
SET SQL_MODE = "NO_AUTO_VALUE_ON_ZERO";
SET AUTOCOMMIT = 0;
START TRANSACTION;
SET time_zone = "+00:00";

--
-- Database: `shop`
--

DELIMITER $$
--
-- Procedures
--
DROP PROCEDURE IF EXISTS `refill`$$
CREATE DEFINER=`root`@`localhost` PROCEDURE `refill` (IN `much` INT, OUT `done` INT)   BEGIN
  IF much > 0 THEN UPDATE goods SET n = n + much; ELSE SET done = 0; END IF;
END$$

--
-- Functions
--
CREATE DEFINER=`root`@`localhost` FUNCTION `vat` (`sum` DECIMAL(10,2)) RETURNS DECIMAL(10,2) DETERMINISTIC RETURN sum * 1.15$$

DELIMITER ;

CREATE TABLE `goods` (
  `id` int NOT NULL,
  `n` int DEFAULT NULL COMMENT 'how many; ''left'''
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;

--
-- Triggers `goods`
--
DELIMITER $$
CREATE TRIGGER `keep` BEFORE UPDATE ON `goods` FOR EACH ROW SET new.n = ifnull(new.n, 0)
$$
DELIMITER ;

CREATE TABLE `cheap` (
`id` int
,`n` int
);

--
-- Structure for view `cheap`
--
DROP TABLE IF EXISTS `cheap`;

CREATE ALGORITHM=UNDEFINED DEFINER=`root`@`localhost` SQL SECURITY DEFINER VIEW `cheap`  AS SELECT `goods`.`id` AS `id`, `goods`.`n` AS `n` FROM `goods` ;

DELIMITER $$
--
-- Events
--
CREATE DEFINER=`root`@`localhost` EVENT `sweep` ON SCHEDULE EVERY 1 DAY STARTS '2026-01-01 00:00:00' ON COMPLETION NOT PRESERVE ENABLE DO DELETE FROM goods WHERE n = 0$$

DELIMITER ;
SET FOREIGN_KEY_CHECKS=1;
COMMIT;
