import type { Row } from '#tests/support/matrix'

/** signed out, customer, other customer, support, administrator */
const rows: Row[] = [
  ['GET /project/list', 'page', '302 200 200 302 302'],
  ['GET /project/:id', 'call', '401 404 404 401 401'],
  ['POST /project/update', 'call', '401 404 404 401 401'],
  ['POST /project/change-status', 'call', '401 404 404 401 401'],
  ['GET /project/pm2/list', 'call', '401 404 404 401 401'],
  ['GET /project/pm2/logs', 'call', '401 404 404 401 401'],
  ['POST /project/pm2/start-new', 'call', '401 404 404 401 401'],
  ['POST /project/pm2/process-action', 'call', '401 404 404 401 401'],
  ['GET /admin/project/list', 'page', '302 302 302 200 200'],
  ['GET /admin/project/:id', 'call', '401 401 401 404 404'],
  ['POST /admin/project/update', 'call', '401 401 401 404 404'],
  ['POST /admin/project/change-status', 'call', '401 401 401 404 404'],
  ['GET /admin/project/pm2/list', 'call', '401 401 401 404 404'],
  ['GET /admin/project/pm2/logs', 'call', '401 401 401 404 404'],
  ['POST /admin/project/pm2/start-new', 'call', '401 401 401 404 404'],
  ['POST /admin/project/pm2/process-action', 'call', '401 401 401 404 404'],
  ['POST /project/store', 'call', '401 422 422 401 401'],
]

export default rows
