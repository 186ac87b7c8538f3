import Greeting from '#greetings/models/greeting'
import type { MatrixPeople, MatrixRow } from '#tests/support/access_matrix'
import { makeActiveInstance } from '#tests/support/access_matrix_instances'

const text = 'Welcome on board'

async function newGreeting(cast: MatrixPeople) {
  const { body } = await makeActiveInstance(cast)
  return { body: { server_instance_id: body.server_instance_id, text } }
}

async function greeting(cast: MatrixPeople) {
  const { server_instance_id: serverInstanceId } = (await newGreeting(cast)).body
  const accountId = cast.customer.id
  const row = await Greeting.create({ accountId, serverInstanceId, text, status: 'written' })
  return { body: { id: row.id, text } }
}

/** Columns: signed out, customer, other customer, support, administrator. */
const rows: MatrixRow[] = [
  ['GET /greeting/list', 'page', '302 200 200 302 302'],
  ['GET /admin/greeting/list', 'page', '302 302 302 200 200'],
  ['POST /greeting/store', 'call', '401 202 404 401 401', newGreeting, 'new resource'],
  ['POST /greeting/update', 'call', '401 202 404 401 401', greeting],
  ['POST /greeting/delete', 'call', '401 202 404 401 401', greeting, 'new resource'],
]

export default rows
