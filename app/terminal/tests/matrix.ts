import { makeInstance } from '#guest/tests/instances'
import type { Cast, Row } from '#tests/support/matrix'

const stopped = async ({ customer }: Cast) => ({
  body: { server_instance_id: (await makeInstance(customer, { status: 'stopped' })).id },
})

/** signed out, customer, other customer, support, administrator */
const rows: Row[] = [
  ['POST /terminal/grants', 'call', '401 409 404 401 401', stopped],
  ['POST /admin/terminal/grants', 'call', '401 401 401 403 409', stopped],
]

export default rows
