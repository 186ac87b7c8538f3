import type { Row } from '#tests/support/matrix'

/** signed out, customer, other customer, support, administrator */
const rows: Row[] = [
  ['GET /email/list', 'page', '302 200 200 302 302'],
  ['GET /admin/email/list', 'page', '302 302 302 200 200'],
  ['GET /admin/live-support', 'page', '302 302 302 200 200'],
]

export default rows
