import type { MatrixRow } from '#tests/support/access_matrix'

const plan = () => ({ body: { place: 'somewhere' } })

const rows: MatrixRow[] = [
  ['GET /admin/backup', 'page', '302 302 302 200 200'],
  ['POST /admin/backup/plan', 'call', '401 401 401 403 422', plan],
  ['POST /admin/backup/run', 'call', '401 401 401 403 409'],
  ['POST /admin/backup/drill', 'call', '401 401 401 403 409'],
]

export default rows
