-- MySQL dump 10.13  Distrib 8.0.43, for Linux (x86_64)
--
-- Host: localhost    Database: shop
-- ------------------------------------------------------
-- Server version	8.0.43

/*!50503 SET NAMES utf8mb4 */;
CREATE TABLE `files` (
  `id` int NOT NULL,
  `raw` longblob,
  `flags` bit(3) DEFAULT b'101'
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
INSERT INTO `files` VALUES (1,_binary 'a\0b\Z\n\r\\\'\"; -- /* x',_binary ''),(2,0xFFD8FF,b'1'),(3,x'00ff',B'011'),(4,NULL,_binary '\0');
-- Dump completed on 2026-11-28  1:00:00
