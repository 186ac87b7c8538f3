-- All In One WP Migration SQL Dump
-- https://servmask.com/
--
-- Host: localhost
-- Database: shop
-- Class: Ai1wm_Database_Mysqli
--

DROP TABLE IF EXISTS `SERVMASK_PREFIX_options`;

CREATE TABLE `SERVMASK_PREFIX_options` (
  `option_id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `option_value` longtext COLLATE utf8mb4_unicode_520_ci NOT NULL,
  PRIMARY KEY (`option_id`)
) ENGINE=InnoDB AUTO_INCREMENT=2 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

START TRANSACTION;
INSERT INTO `SERVMASK_PREFIX_options` VALUES (1,'https://example.com');
COMMIT;
