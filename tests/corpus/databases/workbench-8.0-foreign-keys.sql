-- MySQL dump 10.13  Distrib 8.0.43, for Win64 (x86_64)
--
-- Host: 127.0.0.1    Database: shop
-- ------------------------------------------------------
-- Server version	8.0.43

/*!50503 SET NAMES utf8 */;
/*!40014 SET @OLD_FOREIGN_KEY_CHECKS=@@FOREIGN_KEY_CHECKS, FOREIGN_KEY_CHECKS=0 */;
CREATE TABLE `orders` (
  `id` int NOT NULL,
  `good` int DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `fk_idx` (`good`) /*!80000 INVISIBLE */,
  CONSTRAINT `fk` FOREIGN KEY (`good`) REFERENCES `shop`.`goods` (`id`) ON DELETE SET NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb3 COLLATE=utf8mb3_general_ci;
CREATE TABLE `goods` (
  `id` int NOT NULL,
  `name` varchar(20) CHARACTER SET utf8mb3 COLLATE utf8mb3_unicode_ci DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb3 COLLATE=utf8mb3_bin;
INSERT INTO `goods` VALUES (1,'x');
INSERT INTO `orders` VALUES (1,1);
-- Dump completed on 2026-11-28  1:00:00
