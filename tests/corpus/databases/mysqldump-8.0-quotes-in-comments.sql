-- MySQL dump 10.13  Distrib 8.0.43, for Win64 (x86_64)
--
-- Host: localhost    Database: shop
-- ------------------------------------------------------
-- Server version	8.0.43

/*!50503 SET NAMES utf8mb4 */;
--
-- Table structure for table `o'brien`
--

CREATE TABLE `o'brien` (
  `it's` int DEFAULT NULL COMMENT 'the customer''s -- number; "quoted"',
  `a``b` varchar(20) DEFAULT 'x;y' COMMENT '/* no comment */',
  `semi;colon` varchar(20) DEFAULT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COMMENT='don\'t';
INSERT INTO `o'brien` (`it's`, `a``b`, `semi;colon`) VALUES (1,'#','-- '),(2,'C:\\','\\');
-- don't stop; "here
# nor `here
/* it's */ INSERT INTO `o'brien` VALUES (3,'','');
-- Dump completed on 2026-11-28  1:00:00
