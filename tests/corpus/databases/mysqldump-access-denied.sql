mysqldump: Got error: 1045: "Access denied for user 'shop'@'localhost' (using password: YES)" when trying to connect
