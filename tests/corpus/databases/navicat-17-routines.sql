/*
 Navicat Premium Dump SQL

 Source Server         : shop's server
 Source Server Type    : MySQL
 Source Schema         : shop

 Date: 28/11/2026 01:00:00
*/

SET NAMES utf8mb4;
SET FOREIGN_KEY_CHECKS = 0;

DROP TABLE IF EXISTS `goods`;
CREATE TABLE `goods`  (
  `id` int NOT NULL,
  `n` int NULL DEFAULT NULL,
  PRIMARY KEY (`id`) USING BTREE,
  INDEX `by_n`(`n` ASC) USING BTREE
) ENGINE = InnoDB CHARACTER SET = utf8mb4 COLLATE = utf8mb4_0900_ai_ci ROW_FORMAT = DYNAMIC;

BEGIN;
INSERT INTO `goods` (`id`, `n`) VALUES (1, 2);
COMMIT;

-- ----------------------------
-- View structure for cheap
-- ----------------------------
DROP VIEW IF EXISTS `cheap`;
CREATE ALGORITHM = UNDEFINED SQL SECURITY DEFINER VIEW `cheap` AS select `goods`.`id` AS `id` from `goods`;

-- ----------------------------
-- Procedure structure for act
-- ----------------------------
DROP PROCEDURE IF EXISTS `act`;
delimiter ;;
CREATE PROCEDURE `act`()
BEGIN
  SELECT 1;
END
;;
delimiter ;

-- ----------------------------
-- Triggers structure for table goods
-- ----------------------------
DROP TRIGGER IF EXISTS `counting`;
delimiter ;;
CREATE TRIGGER `counting` BEFORE INSERT ON `goods` FOR EACH ROW set new.n = 1
;;
delimiter ;

SET FOREIGN_KEY_CHECKS = 1;
