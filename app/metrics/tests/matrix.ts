import type { MatrixRow } from '#tests/support/access_matrix'
import { makeDeletedInstance, makeActiveInstance } from '#tests/support/access_matrix_instances'

const rows: MatrixRow[] = [
  ['GET /server-instance/:id/metrics', 'call', '401 200 404 401 401', makeActiveInstance],
  ['GET /admin/server-instance/:id/metrics', 'call', '401 401 401 200 200', makeActiveInstance],
  ['GET /admin/host-instance/:id/metrics', 'call', '401 401 401 404 404'],
  // The owner and staff can still view the metrics of a deleted instance.
  ['GET /server-instance/:id/metrics', 'call', '401 200 404 401 401', makeDeletedInstance],
  ['GET /admin/server-instance/:id/metrics', 'call', '401 401 401 200 200', makeDeletedInstance],
]

export default rows
