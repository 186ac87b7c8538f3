-- MySQL dump 10.13  Distrib 8.4.6, for Linux (x86_64)
--
-- Host: localhost    Database: shop
-- ------------------------------------------------------
-- Server version	8.4.6

/*!50503 SET NAMES utf8mb4 */;
DROP TABLE IF EXISTS `goods`;
/*!50503 SET character_set_client = utf8mb4 */;
CREATE TABLE `goods` (
  `id` binary(16) NOT NULL,
  `data` json DEFAULT (json_object()),
  `tags` json DEFAULT (_utf8mb4'[]'),
  `price` decimal(10,2) GENERATED ALWAYS AS (json_unquote(json_extract(`data`,_utf8mb4'$.price'))) STORED,
  `label` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_as_cs GENERATED ALWAYS AS (concat(`state`,_utf8mb4' -- ',_utf8mb3'x')) VIRTUAL,
  `state` varchar(20) NOT NULL DEFAULT 'new',
  `secret` int DEFAULT '0' /*!80023 INVISIBLE */,
  `place` point NOT NULL /*!80003 SRID 4326 */,
  PRIMARY KEY (`id`),
  KEY `by_state` (`state` DESC) /*!80000 INVISIBLE */,
  UNIQUE KEY `by_name` (`id`,(json_value(`data`, _utf8mb4'$.a' returning char(20)))),
  KEY `by_lower` ((lower(`state`))),
  KEY `by_tag` ((cast(`tags` as unsigned array))),
  CONSTRAINT `goods_chk_1` CHECK ((`state` <> _utf8mb4'')) /*!80016 NOT ENFORCED */
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci COMMENT='it''s; /* a comment */ -- "goods"' /*!80016 DEFAULT ENCRYPTION='N' */ /*!80021 ENGINE_ATTRIBUTE='{"a": 1}' */;
INSERT INTO `goods` (`id`, `data`, `state`, `place`) VALUES (0x00112233445566778899AABBCCDDEEFF,'{\"price\": \"1.50\", \"name\": \"it\'s; tea\"}','new',0xE6100000010100000000000000000000000000000000000000);
-- Dump completed on 2026-11-28  1:00:00
