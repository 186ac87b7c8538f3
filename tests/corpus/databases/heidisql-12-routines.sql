-- --------------------------------------------------------
-- Host:                         127.0.0.1
-- Server version:               8.0.43 - MySQL Community Server - GPL
-- Server OS:                    Win64
-- HeidiSQL Version:             12.11.0.7065
-- --------------------------------------------------------

/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!40101 SET NAMES utf8 */;
/*!50503 SET NAMES utf8mb4 */;
/*!40103 SET @OLD_TIME_ZONE=@@TIME_ZONE */;
/*!40103 SET TIME_ZONE='+00:00' */;
/*!40014 SET @OLD_FOREIGN_KEY_CHECKS=@@FOREIGN_KEY_CHECKS, FOREIGN_KEY_CHECKS=0 */;
/*!40101 SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='NO_AUTO_VALUE_ON_ZERO' */;
/*!40111 SET @OLD_SQL_NOTES=@@SQL_NOTES, SQL_NOTES=0 */;

-- Dumping structure for table shop.goods
DROP TABLE IF EXISTS `goods`;
CREATE TABLE IF NOT EXISTS `goods` (
  `id` int NOT NULL AUTO_INCREMENT,
  `name` varchar(50) DEFAULT NULL,
  PRIMARY KEY (`id`) USING BTREE
) ENGINE=InnoDB AUTO_INCREMENT=2 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;

-- Dumping data for table shop.goods: ~1 rows (approximately)
/*!40000 ALTER TABLE `goods` DISABLE KEYS */;
INSERT IGNORE INTO `goods` (`id`, `name`) VALUES
	(1, 'it\'s; tea');
/*!40000 ALTER TABLE `goods` ENABLE KEYS */;

-- Dumping structure for procedure shop.act
DROP PROCEDURE IF EXISTS `act`;
DELIMITER //
CREATE PROCEDURE `act`()
BEGIN
	SELECT 'don''t; // stop' FROM `shop`.`goods`;
END//
DELIMITER ;

-- Dumping structure for trigger shop.goods_before_insert
DROP TRIGGER IF EXISTS `goods_before_insert`;
SET @OLDTMP_SQL_MODE=@@SQL_MODE, SQL_MODE='STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION';
DELIMITER //
CREATE TRIGGER `goods_before_insert` BEFORE INSERT ON `goods` FOR EACH ROW BEGIN
	SET NEW.name = trim(NEW.name);
END//
DELIMITER ;
SET SQL_MODE=@OLDTMP_SQL_MODE;

-- Dumping structure for view shop.cheap
DROP VIEW IF EXISTS `cheap`;
-- Creating temporary table to overcome VIEW dependency errors
CREATE TABLE `cheap` (
	`id` INT NOT NULL
);

-- Removing temporary table and create final VIEW structure
DROP TABLE IF EXISTS `cheap`;
CREATE ALGORITHM=UNDEFINED SQL SECURITY DEFINER VIEW `cheap` AS select `goods`.`id` AS `id` from `goods`
;

/*!40103 SET TIME_ZONE=IFNULL(@OLD_TIME_ZONE, 'system') */;
/*!40101 SET SQL_MODE=IFNULL(@OLD_SQL_MODE, '') */;
/*!40014 SET FOREIGN_KEY_CHECKS=IFNULL(@OLD_FOREIGN_KEY_CHECKS, 1) */;
/*!40101 SET CHARACTER_SET_CLIENT=@OLD_CHARACTER_SET_CLIENT */;
/*!40111 SET SQL_NOTES=IFNULL(@OLD_SQL_NOTES, 1) */;
