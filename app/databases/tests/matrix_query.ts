import type { MatrixRow } from '#tests/support/access_matrix'

const rows: MatrixRow[] = [
  ['GET /database/mysql/:id/rows', 'call', '401 404 404 401 401'],
  ['GET /database/mysql/:id/structure', 'call', '401 404 404 401 401'],
  ['POST /database/mysql/:id/query', 'call', '401 404 404 401 401'],
  ['POST /database/mysql/:id/query/csv', 'call', '401 404 404 401 401'],
  ['POST /database/mysql/:id/query/cancel', 'call', '401 404 404 401 401'],
  ['GET /database/mysql/:id/slow', 'call', '401 404 404 401 401'],
  ['POST /database/mysql/:id/slow/reset', 'call', '401 404 404 401 401'],
  ['GET /database/mongodb/:id/rows', 'call', '401 404 404 401 401'],
  ['GET /database/mongodb/:id/structure', 'call', '401 404 404 401 401'],
  ['POST /database/mongodb/:id/query', 'call', '401 404 404 401 401'],
  ['POST /database/mongodb/:id/query/csv', 'call', '401 404 404 401 401'],
  ['POST /database/mongodb/:id/query/cancel', 'call', '401 404 404 401 401'],
  ['GET /database/mongodb/:id/slow', 'call', '401 404 404 401 401'],
  ['POST /database/mongodb/:id/slow/reset', 'call', '401 404 404 401 401'],
]

export default rows
