mysql> SHOW CREATE TABLE goods;
+-------+------------------------------+
| Table | Create Table                 |
+-------+------------------------------+
| goods | CREATE TABLE `goods` (`id` int) |
+-------+------------------------------+
1 row in set (0.00 sec)
