import type { MatrixRow } from '#tests/support/access_matrix'

const note = () => ({ body: { text: 'Ask for a quay' } })

/**
 * Expected statuses for: signed out, customer, other customer, support, administrator. Those of
 * members are derived.
 */
const rows: MatrixRow[] = [
  ['GET /note/list', 'page', '302 200 200 302 302'],
  ['POST /note/store', 'call', '401 201 201 401 401', note],
]

export default rows
