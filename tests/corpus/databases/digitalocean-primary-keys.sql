-- MySQL dump 10.13  Distrib 8.0.43, for macos15 (arm64)
--
-- Host: localhost    Database: shop
-- ------------------------------------------------------
-- Server version	8.0.35

/*!50503 SET NAMES utf8mb4 */;
SET SESSION sql_require_primary_key = 0;
SET @@SESSION.sql_generate_invisible_primary_key=OFF;
SET SESSION sql_require_primary_key=0, sql_mode='NO_AUTO_VALUE_ON_ZERO', foreign_key_checks=0;
CREATE TABLE `logs` (`at` datetime(6) DEFAULT CURRENT_TIMESTAMP(6)) ENGINE=InnoDB;
INSERT INTO `logs` VALUES ('2026-11-28 01:00:00.000001');
-- Dump completed on 2026-11-28  1:00:00
