import { makeInstance } from '#guest/tests/instances'
import type { MatrixPeople, MatrixRow } from '#tests/support/access_matrix'

const stopped = async ({ customer }: MatrixPeople) => ({
  body: { server_instance_id: (await makeInstance(customer, { status: 'stopped' })).id },
})

const rows: MatrixRow[] = [
  ['POST /terminal/grants', 'call', '401 409 404 401 401', stopped],
  ['POST /admin/terminal/grants', 'call', '401 401 401 403 409', stopped],
]

export default rows
