-- MySQL dump 10.13  Distrib 5.7.44, for Linux (x86_64)
--
-- Host: localhost    Database: shop
-- ------------------------------------------------------
-- Server version	5.7.44

/*!40101 SET NAMES utf8 */;
/*!40101 SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='NO_AUTO_VALUE_ON_ZERO,ANSI' */;
CREATE TABLE "goods" (
  "id" int(11) NOT NULL,
  "name" varchar(50) DEFAULT NULL
);
INSERT INTO "goods" VALUES (1,'it\'s; \"tea\"');
/*!40101 SET SQL_MODE=@OLD_SQL_MODE */;
-- Dump completed on 2026-11-28  1:00:00
