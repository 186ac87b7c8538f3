import type { MatrixRow } from '#tests/support/access_matrix'

const rows: MatrixRow[] = [
  ['POST /database/mysql/import', 'call', '401 409 409 401 401'],
  ['GET /database/mysql/export', 'call', '401 409 409 401 401'],
  ['POST /database/mysql/export', 'call', '401 409 409 401 401'],
  ['POST /database/mongodb/import', 'call', '401 409 409 401 401'],
  ['GET /database/mongodb/export', 'call', '401 409 409 401 401'],
  ['POST /database/mongodb/export', 'call', '401 409 409 401 401'],
  ['POST /database/backup/store', 'call', '401 404 404 401 401'],
  ['POST /database/backup/restore', 'call', '401 404 404 401 401'],
  ['POST /database/backup/delete', 'call', '401 404 404 401 401'],
  ['POST /database/backup/plan', 'call', '401 404 404 401 401'],
  ['GET /database/backup/:id/download', 'call', '401 404 404 401 401'],
]

export default rows
