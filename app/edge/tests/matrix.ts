import type { Row } from '#tests/support/matrix'

/** signed out, customer, other customer, support, administrator */
const rows: Row[] = [
  ['POST /server-instance/update', 'call', '401 404 404 401 401'],
  ['GET /server-instance/domain/name', 'call', '401 422 422 401 401'],
  ['POST /server-instance/domain/check', 'call', '401 404 404 401 401'],
  ['POST /admin/server-instance/domain/check', 'call', '401 401 401 403 404'],
]

export default rows
