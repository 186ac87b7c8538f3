/*M!999999\- enable the sandbox mode */ 
-- MariaDB dump 10.19  Distrib 12.1.2-MariaDB, for debian-linux-gnu (x86_64)
--
-- Host: localhost    Database: shop
-- ------------------------------------------------------
-- Server version	12.1.2-MariaDB

/*!40101 SET NAMES utf8mb4 */;
/*M!100616 SET @OLD_NOTE_VERBOSITY=@@NOTE_VERBOSITY, NOTE_VERBOSITY=0 */;
CREATE TABLE `goods` (
  `id` uuid NOT NULL DEFAULT uuid(),
  `data` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL CHECK (json_valid(`data`)),
  `hidden` int(11) INVISIBLE DEFAULT 5,
  `ip` inet6 DEFAULT NULL,
  `packed` text /*M!100301 COMPRESSED*/ DEFAULT NULL,
  `total` int(11) GENERATED ALWAYS AS (`hidden` + 1) STORED,
  `since` timestamp(6) GENERATED ALWAYS AS ROW START,
  `until` timestamp(6) GENERATED ALWAYS AS ROW END,
  PRIMARY KEY (`id`,`until`),
  KEY `by_hidden` (`hidden`) IGNORED,
  PERIOD FOR SYSTEM_TIME (`since`, `until`),
  CONSTRAINT `positive` CHECK (`hidden` > 0)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci PAGE_CHECKSUM=1 `ENCRYPTED`=NO WITH SYSTEM VERSIONING;
/*M!101100 SET @@system_versioning_insert_history=1 */;
INSERT INTO `goods` (`id`, `data`, `hidden`, `ip`, `packed`, `since`, `until`) VALUES ('0187f8a2-1111-7abc-8def-000000000001','{\"a\":1}',7,'2001:db8::1','x','2026-01-01 00:00:00.000000','2038-01-19 03:14:07.999999');
/*M!100616 SET NOTE_VERBOSITY=@OLD_NOTE_VERBOSITY */;
-- Dump completed on 2026-11-28  1:00:00
