# WordPress MySQL database backup
# Created by UpdraftPlus version 1.25.7 (https://updraftplus.com)
# WordPress Version: 6.8.3, running on PHP 8.2.29 (LiteSpeed), MySQL 10.11.14
# Backup of: https://shop.example
# Home URL: https://shop.example
# Content URL: https://shop.example/wp-content
# Table prefix: wp_
# Filtered table prefix: wp_
# ABSPATH: /home/shop/public_html/
# Site info: multisite=0
# Site info: sql_mode=NO_ENGINE_SUBSTITUTION
# Site info: end

# Generated: Saturday 28. November 2026 01:00 UTC
# Hostname: localhost
# Database: `shop_wp`

/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!40101 SET NAMES utf8mb4 */;
/*!40101 SET foreign_key_checks = 0 */;


# --------------------------------------------------------
# Table: `wp_options`
# Approximate rows expected in table: 2


# Delete any existing table `wp_options`

DROP TABLE IF EXISTS `wp_options`;

# Table structure of table `wp_options`

CREATE TABLE `wp_options` (
  `option_id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `option_value` longtext NOT NULL,
  `autoload` varchar(20) NOT NULL DEFAULT 'yes',
  PRIMARY KEY (`option_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

# Data contents of table `wp_options`
INSERT INTO `wp_options` VALUES (1, 'a:1:{s:4:\"name\";s:9:\"it\'s; tea\";}', 'yes'), (2, 0x6131, 'no');

# End of data contents of table `wp_options`

/*!40101 SET CHARACTER_SET_CLIENT=@OLD_CHARACTER_SET_CLIENT */;
