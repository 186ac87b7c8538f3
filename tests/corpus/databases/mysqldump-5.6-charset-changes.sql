-- MySQL dump 10.13  Distrib 5.6.51, for Linux (x86_64)
--
-- Host: localhost    Database: shop
-- ------------------------------------------------------
-- Server version	5.6.51

/*!40101 SET NAMES utf8 */;
CREATE TABLE `one` (`name` varchar(20) DEFAULT NULL) ENGINE=MyISAM DEFAULT CHARSET=utf8mb4;
SET NAMES latin1;
INSERT INTO `one` VALUES ('caf� \\'),('it\'s');
SET CHARACTER SET utf8mb4;
INSERT INTO `one` VALUES ('café');
set names 'utf8mb4' collate 'utf8mb4_0900_ai_ci';
INSERT INTO `one` VALUES ('চা');
-- Dump completed on 2026-11-28  1:00:00
