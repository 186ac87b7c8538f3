-- shop.goods definition

CREATE TABLE `goods` (
  `id` int NOT NULL AUTO_INCREMENT,
  `name` varchar(100) DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

INSERT INTO shop.goods (id,name) VALUES
	 (1,'চা'),
	 (2,'it''s; tea');
-- shop.cheap source

create or replace
algorithm = UNDEFINED view `shop`.`cheap` as
select
    `shop`.`goods`.`id` as `id`
from
    `shop`.`goods`;
