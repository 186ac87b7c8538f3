/* DUPLICATOR-LITE (PHP BUILD MODE) MYSQL SCRIPT CREATED ON : 2026-11-28 01:00:00 */

/* DUPLICATOR_MYSQLDUMP_EOF */
SET FOREIGN_KEY_CHECKS = 0;

/* DUPLICATOR-LITE TABLE wp_options */
CREATE TABLE `wp_options` (
  `option_id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `option_value` longtext NOT NULL,
  PRIMARY KEY (`option_id`)
) ENGINE=InnoDB AUTO_INCREMENT=3 DEFAULT CHARSET=utf8mb4;

/* INSERT TABLE DATA: wp_options */
INSERT INTO `wp_options` VALUES("1", "https:\/\/shop.example");
INSERT INTO `wp_options` VALUES("2", "it\'s; \"tea\"");

SET FOREIGN_KEY_CHECKS = 1; 

/* Duplicator WordPress Timestamp: 2026-11-28 01:00:00*/
/* DUPLICATOR_MYSQLDUMP_EOF */
