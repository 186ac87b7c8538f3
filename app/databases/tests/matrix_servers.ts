import Database from '#databases/models/database'
import type { Engine } from '#databases/engines'
import { makeInstance } from '#guest/tests/instances'
import type { MatrixPeople, MatrixRow } from '#tests/support/access_matrix'
import { randomUUID } from 'node:crypto'

export const stoppedOf = async ({ customer }: MatrixPeople) => {
  const { id } = await makeInstance(customer, { status: 'stopped' })
  return { body: { server_instance_id: id }, query: `server_instance_id=${id}` }
}

export const databaseOf = (engine: Engine) => async (cast: MatrixPeople) => {
  const { body, query } = await stoppedOf(cast)
  const database = await Database.create({
    accountId: cast.customer.id,
    serverInstanceId: body.server_instance_id,
    engine,
    name: `shop_${randomUUID().slice(0, 8)}`,
    status: 'active',
  })
  const { id, name } = database
  return { params: { id }, query, body: { ...body, id, name, database_name: name } }
}

const rows: MatrixRow[] = [
  ['GET /database/:id', 'call', '401 302 404 401 401', databaseOf('mysql')],
  ['GET /database/mysql', 'page', '302 200 200 302 302'],
  ['GET /database/mysql/:id', 'call', '401 200 404 401 401', databaseOf('mysql')],
  ['POST /database/mysql/drop', 'call', '401 409 404 401 401', databaseOf('mysql')],
  ['POST /database/mysql/store', 'call', '401 409 404 401 401', stoppedOf],
  ['POST /database/mysql/server', 'call', '401 409 404 401 401', stoppedOf],
  ['POST /database/mysql/user/store', 'call', '401 409 404 401 401', stoppedOf],
  ['POST /database/mysql/user/password', 'call', '401 409 404 401 401', stoppedOf],
  ['POST /database/mysql/user/access', 'call', '401 409 404 401 401', stoppedOf],
  ['POST /database/mysql/user/remote', 'call', '401 409 404 401 401', stoppedOf],
  ['POST /database/mysql/user/remove', 'call', '401 409 404 401 401', stoppedOf],
  ['POST /database/mysql/project', 'call', '401 409 404 401 401', stoppedOf],
  ['GET /database/mysql/server/log', 'call', '401 409 404 401 401', stoppedOf],
  ['GET /database/mongodb', 'page', '302 200 200 302 302'],
  ['GET /database/mongodb/:id', 'call', '401 200 404 401 401', databaseOf('mongodb')],
  ['POST /database/mongodb/drop', 'call', '401 409 404 401 401', databaseOf('mongodb')],
  ['POST /database/mongodb/store', 'call', '401 409 404 401 401', stoppedOf],
  ['POST /database/mongodb/server', 'call', '401 409 404 401 401', stoppedOf],
  ['POST /database/mongodb/user/store', 'call', '401 409 404 401 401', stoppedOf],
  ['POST /database/mongodb/user/password', 'call', '401 409 404 401 401', stoppedOf],
  ['POST /database/mongodb/user/access', 'call', '401 409 404 401 401', stoppedOf],
  ['POST /database/mongodb/user/remote', 'call', '401 409 404 401 401', stoppedOf],
  ['POST /database/mongodb/user/remove', 'call', '401 409 404 401 401', stoppedOf],
  ['POST /database/mongodb/project', 'call', '401 409 404 401 401', stoppedOf],
  ['GET /database/mongodb/server/log', 'call', '401 409 404 401 401', stoppedOf],
]

export default rows
