-- MySQL dump 10.13  Distrib 8.0.39, for Linux (x86_64)
--
-- Host: localhost    Database: shop
-- ------------------------------------------------------
-- Server version	8.0.39
CREATE TABLE `goods` (`id` int NOT NULL) ENGINE=InnoDB;
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=`root`@`localhost` SQL SECURITY DEFINER */
/*!50001 VIEW `recent` AS select `blog`.`posts`.`id` AS `id` from `blog`.`posts` */;
-- Dump completed on 2026-11-28  1:00:00
