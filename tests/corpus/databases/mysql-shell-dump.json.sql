{
    "dumper": "mysqlsh Ver 8.4.6 for Linux on x86_64 - for MySQL 8.4.6",
    "version": "2.0.1",
    "schemas": ["shop"]
}
