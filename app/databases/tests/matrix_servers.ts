import type { Row } from '#tests/support/matrix'

/** signed out, customer, other customer, support, administrator */
const rows: Row[] = [
  ['GET /database/mysql', 'call', '401 409 409 401 401'],
  ['GET /database/mysql/:id', 'call', '401 409 409 401 401'],
  ['POST /database/mysql/store', 'call', '401 409 409 401 401'],
  ['POST /database/mysql/drop', 'call', '401 409 409 401 401'],
  ['POST /database/mysql/server', 'call', '401 409 409 401 401'],
  ['POST /database/mysql/user/store', 'call', '401 409 409 401 401'],
  ['POST /database/mysql/user/password', 'call', '401 409 409 401 401'],
  ['POST /database/mysql/user/access', 'call', '401 409 409 401 401'],
  ['POST /database/mysql/user/remote', 'call', '401 409 409 401 401'],
  ['POST /database/mysql/user/remove', 'call', '401 409 409 401 401'],
  ['POST /database/mysql/project', 'call', '401 409 409 401 401'],
  ['GET /database/mysql/server/log', 'call', '401 409 409 401 401'],
  ['GET /database/mongodb', 'call', '401 409 409 401 401'],
  ['GET /database/mongodb/:id', 'call', '401 409 409 401 401'],
  ['POST /database/mongodb/store', 'call', '401 409 409 401 401'],
  ['POST /database/mongodb/drop', 'call', '401 409 409 401 401'],
  ['POST /database/mongodb/server', 'call', '401 409 409 401 401'],
  ['POST /database/mongodb/user/store', 'call', '401 409 409 401 401'],
  ['POST /database/mongodb/user/password', 'call', '401 409 409 401 401'],
  ['POST /database/mongodb/user/access', 'call', '401 409 409 401 401'],
  ['POST /database/mongodb/user/remote', 'call', '401 409 409 401 401'],
  ['POST /database/mongodb/user/remove', 'call', '401 409 409 401 401'],
  ['POST /database/mongodb/project', 'call', '401 409 409 401 401'],
  ['GET /database/mongodb/server/log', 'call', '401 409 409 401 401'],
]

export default rows
