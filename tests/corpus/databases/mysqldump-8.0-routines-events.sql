-- MySQL dump 10.13  Distrib 8.0.43, for Linux (x86_64)
--
-- Host: localhost    Database: shop
-- ------------------------------------------------------
-- Server version	8.0.43

/*!50503 SET NAMES utf8mb4 */;
CREATE TABLE `goods` (
  `id` int NOT NULL AUTO_INCREMENT,
  `n` int DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;
--
-- Dumping events for database 'shop'
--
/*!50106 SET @save_time_zone= @@TIME_ZONE */ ;
/*!50106 DROP EVENT IF EXISTS `nightly` */;
DELIMITER ;;
/*!50003 SET @saved_cs_client      = @@character_set_client */ ;;
/*!50003 SET character_set_client  = utf8mb4 */ ;;
/*!50003 SET collation_connection  = utf8mb4_0900_ai_ci */ ;;
/*!50003 SET sql_mode              = 'ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION' */ ;;
/*!50003 SET time_zone             = 'SYSTEM' */ ;;
/*!50106 CREATE*/ /*!50117 DEFINER=`root`@`localhost`*/ /*!50106 EVENT `nightly` ON SCHEDULE EVERY 1 DAY STARTS '2026-01-01 00:00:00' ON COMPLETION NOT PRESERVE ENABLE COMMENT 'it''s; nightly' DO BEGIN
  DELETE FROM goods WHERE n < 0; -- old; ones
END */ ;;
/*!50003 SET character_set_client  = @saved_cs_client */ ;;
DELIMITER ;
/*!50106 SET TIME_ZONE= @save_time_zone */ ;

--
-- Dumping routines for database 'shop'
--
/*!50003 DROP FUNCTION IF EXISTS `twice` */;
/*!50003 SET sql_mode              = 'NO_AUTO_VALUE_ON_ZERO' */ ;
DELIMITER ;;
CREATE DEFINER=`root`@`localhost` FUNCTION `twice`(n int) RETURNS int
    DETERMINISTIC
    COMMENT 'the double''s value'
BEGIN
  declare x int default 0;
  /* it's a block; */
  while x < 1 do set x = x + 1; end while;
  return case when n is null then 0 else n * 2 end;
END ;;
DELIMITER ;
ALTER DATABASE `shop` CHARACTER SET latin1 COLLATE latin1_swedish_ci ;
DELIMITER ;;
CREATE DEFINER=`root`@`localhost` PROCEDURE `fill`()
    SQL SECURITY INVOKER
label: BEGIN
  leave label;
END ;;
DELIMITER ;
ALTER DATABASE `shop` CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci ;
-- Dump completed on 2026-11-28  1:00:00
