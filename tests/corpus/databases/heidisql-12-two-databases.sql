-- --------------------------------------------------------
-- HeidiSQL Version:             12.8.0.6908
-- --------------------------------------------------------
/*!40101 SET NAMES utf8 */;

CREATE TABLE IF NOT EXISTS `shop`.`goods` (
  `id` int NOT NULL AUTO_INCREMENT,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB;
INSERT INTO `shop`.`goods` (`id`) VALUES (1);

CREATE TABLE IF NOT EXISTS `blog`.`posts` (`id` int NOT NULL) ENGINE=InnoDB;
