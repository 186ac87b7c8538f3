import type { MatrixRow } from '#tests/support/access_matrix'

const rows: MatrixRow[] = [
  ['GET /admin/host-instance/list', 'page', '302 302 302 200 200'],
  ['GET /admin/host-instance/:id', 'call', '401 401 401 404 404'],
  ['POST /admin/host-instance/store', 'call', '401 401 401 403 422'],
  ['POST /admin/host-instance/update', 'call', '401 401 401 403 404'],
  ['POST /admin/host-instance/delete', 'call', '401 401 401 403 404'],
  ['POST /admin/host-instance/ssh', 'call', '401 401 401 403 404'],
  ['POST /admin/host-instance/maintenance', 'call', '401 401 401 403 404'],
  ['POST /admin/host-instance/check', 'call', '401 401 401 403 404'],
]

export default rows
