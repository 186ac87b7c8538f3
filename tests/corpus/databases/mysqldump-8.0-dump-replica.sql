STOP REPLICA;
-- MySQL dump 10.13  Distrib 8.0.43, for Linux (x86_64)
--
-- Host: localhost    Database: shop
-- ------------------------------------------------------
-- Server version	8.0.43

/*!50503 SET NAMES utf8mb4 */;
CHANGE MASTER TO MASTER_HOST='10.0.0.1', MASTER_LOG_FILE='bin.000001', MASTER_LOG_POS=4;
CREATE TABLE `goods` (`id` int NOT NULL) ENGINE=InnoDB;
INSERT INTO `goods` VALUES (1);
START REPLICA;
-- Dump completed on 2026-11-28  1:00:00
