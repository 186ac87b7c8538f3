import type { Row } from '#tests/support/matrix'
import { deleted, instance } from '#tests/support/matrix_instances'

/** signed out, customer, other customer, support, administrator */
const rows: Row[] = [
  ['GET /server-instance/:id/metrics', 'call', '401 200 404 401 401', instance],
  ['GET /admin/server-instance/:id/metrics', 'call', '401 401 401 200 200', instance],
  ['GET /admin/host-instance/:id/metrics', 'call', '401 401 401 404 404'],
  // A deleted one is there to be looked at, by its owner and staff, and for nothing else.
  ['GET /server-instance/:id/metrics', 'call', '401 200 404 401 401', deleted],
  ['GET /admin/server-instance/:id/metrics', 'call', '401 401 401 200 200', deleted],
]

export default rows
