import type { Row } from '#tests/support/matrix'

/** signed out, customer, other customer, support, administrator */
const rows: Row[] = [
  ['GET /git/details', 'call', '401 409 409 401 401'],
  ['POST /git/checkout', 'call', '401 422 422 401 401'],
  ['POST /git/update-branch', 'call', '401 422 422 401 401'],
  ['POST /git/delete-branch', 'call', '401 422 422 401 401'],
  ['POST /git/clone', 'call', '401 422 422 401 401'],
]

export default rows
