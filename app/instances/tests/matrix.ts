import { appUrl } from '#config/app'
import type { MatrixPeople, MatrixRow } from '#tests/support/access_matrix'
import {
  makeDeletedInstance,
  makeActiveInstance,
  makeSuspendedInstance,
} from '#tests/support/access_matrix_instances'

/** Returns a request with the `Origin` header of the console's own pages. */
const fromPage = async (cast: MatrixPeople) => ({
  ...(await makeActiveInstance(cast)),
  headers: { origin: new URL(appUrl).origin },
})

const rows: MatrixRow[] = [
  ['GET /server-instance/list', 'page', '302 200 200 302 302'],
  ['GET /server-instance/:id', 'page', '302 200 404 302 302', makeActiveInstance],
  ['POST /server-instance/store', 'call', '401 422 422 401 401'],
  ['GET /server-instance/set-as-default/:id', 'call', '401 200 404 401 401', fromPage],
  ['POST /server-instance/set-as-default/:id', 'call', '401 200 404 401 401', makeActiveInstance],
  ['GET /server-instance/boost/info', 'call', '401 200 404 401 401', makeActiveInstance],
  ['POST /server-instance/boost', 'call', '401 409 404 401 401', makeSuspendedInstance],
  ['POST /server-instance/start', 'call', '401 409 404 401 401', makeSuspendedInstance],
  ['POST /server-instance/stop', 'call', '401 409 404 401 401', makeSuspendedInstance],
  ['POST /server-instance/restart', 'call', '401 409 404 401 401', makeSuspendedInstance],
  [
    'POST /server-instance/restart-without-apps',
    'call',
    '401 409 404 401 401',
    makeSuspendedInstance,
  ],
  ['POST /server-instance/retry', 'call', '401 409 404 401 401', makeSuspendedInstance],
  ['POST /server-instance/delete', 'call', '401 422 404 401 401', makeSuspendedInstance],
  ['GET /admin/server-instance/list', 'page', '302 302 302 200 200'],
  ['GET /admin/server-instance/:id', 'page', '302 302 302 200 200', makeActiveInstance],
  ['POST /admin/server-instance/update', 'call', '401 401 401 403 404'],
  ['POST /admin/server-instance/suspend', 'call', '401 401 401 403 404'],
  ['POST /admin/server-instance/resume', 'call', '401 401 401 403 404'],
  ['POST /admin/server-instance/resize', 'call', '401 401 401 403 404'],
  ['POST /admin/server-instance/start', 'call', '401 401 401 403 409', makeSuspendedInstance],
  ['POST /admin/server-instance/stop', 'call', '401 401 401 403 409', makeSuspendedInstance],
  ['POST /admin/server-instance/restart', 'call', '401 401 401 403 409', makeSuspendedInstance],
  [
    'POST /admin/server-instance/restart-without-apps',
    'call',
    '401 401 401 403 409',
    makeSuspendedInstance,
  ],
  ['POST /admin/server-instance/retry', 'call', '401 401 401 403 409', makeSuspendedInstance],
  ['POST /admin/server-instance/delete', 'call', '401 401 401 403 422', makeSuspendedInstance],
  ['GET /server-instance/:id/answers', 'call', '401 200 404 401 401', makeActiveInstance],
  ['GET /admin/server-instance/:id/answers', 'call', '401 401 401 200 200', makeActiveInstance],
  // The owner and staff can only view a deleted instance.
  ['GET /server-instance/:id', 'page', '302 200 404 302 302', makeDeletedInstance],
  ['GET /server-instance/:id/answers', 'call', '401 404 404 401 401', makeDeletedInstance],
  ['POST /server-instance/set-as-default/:id', 'call', '401 404 404 401 401', makeDeletedInstance],
  ['POST /server-instance/start', 'call', '401 404 404 401 401', makeDeletedInstance],
  ['POST /server-instance/delete', 'call', '401 404 404 401 401', makeDeletedInstance],
  ['GET /admin/server-instance/:id', 'page', '302 302 302 200 200', makeDeletedInstance],
  ['POST /admin/server-instance/update', 'call', '401 401 401 403 404', makeDeletedInstance],
  ['POST /admin/server-instance/start', 'call', '401 401 401 404 404', makeDeletedInstance],
  ['POST /admin/server-instance/delete', 'call', '401 401 401 404 404', makeDeletedInstance],
]

export default rows
