export type { Engine } from '#databases/engines'
export type {
  AccessLevel,
  BackupRow,
  DatabaseListPage,
  DatabasePage,
  DatabaseRow,
  DroppedDatabaseBackupRow,
  MongodbUserRow,
  MysqlUserRow,
  QueryResponse,
  TableRowsResult,
  ServerChoice,
  ServerView,
  SlowQueries,
  TableStructure,
  TableSummary,
} from '#databases/transformers/page_props'
