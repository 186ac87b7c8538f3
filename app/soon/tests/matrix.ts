import type { Row } from '#tests/support/matrix'

/** signed out, customer, other customer, support, administrator */
const rows: Row[] = [
  ['GET /admin/live-support', 'page', '302 302 302 200 200'],
]

export default rows
