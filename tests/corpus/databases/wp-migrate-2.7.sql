# WordPress MySQL database migration
#
# Generated: Saturday 28. November 2026 01:00 UTC
# Hostname: localhost
# Database: `shop`
# URL: //shop.example
# Path: /var/www/shop
# Tables: wp_options
# Table Prefix: wp_
# Post Types: revision, page, post
# Protocol: https
# Multisite: false
# Subsite Export: false
# --------------------------------------------------------

/*!40101 SET NAMES utf8mb4 */;

SET sql_mode='NO_AUTO_VALUE_ON_ZERO';

#
# Delete any existing table `wp_options`
#

DROP TABLE IF EXISTS `wp_options`;


#
# Table structure of table `wp_options`
#

CREATE TABLE `wp_options` (
  `option_id` bigint unsigned NOT NULL AUTO_INCREMENT,
  `option_name` varchar(191) COLLATE utf8mb4_unicode_520_ci NOT NULL DEFAULT '',
  `option_value` longtext COLLATE utf8mb4_unicode_520_ci NOT NULL,
  PRIMARY KEY (`option_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;


#
# Data contents of table `wp_options`
#
INSERT INTO `wp_options` ( `option_id`, `option_name`, `option_value`) VALUES
(1, 'siteurl', 'https://shop.example'),
(2, 'note', 'it\'s; # tea') ;
#
# End of data contents of table `wp_options`
# --------------------------------------------------------
