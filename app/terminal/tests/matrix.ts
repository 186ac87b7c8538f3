import type { Row } from '#tests/support/matrix'

/** signed out, customer, other customer, support, administrator */
const rows: Row[] = [
  ['POST /terminal/grants', 'call', '401 422 422 401 401'],
  ['POST /admin/terminal/grants', 'call', '401 401 401 422 422'],
]

export default rows
