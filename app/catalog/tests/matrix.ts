import type { MatrixRow } from '#tests/support/access_matrix'

const rows: MatrixRow[] = [
  ['GET /services', 'page', '200 200 200 200 200'],
  ['GET /admin/server-package/list', 'page', '302 302 302 200 200'],
  ['POST /admin/server-package/store', 'call', '401 401 401 403 422'],
  ['POST /admin/server-package/update', 'call', '401 401 401 404 404'],
]

export default rows
