INSERT INTO shop.goods (id,name) VALUES
	 (1,'চা'),
	 (2,'it''s; tea');
