import { ServerInstance } from '#instances/public'
import type { Cast, Row } from '#tests/support/matrix'
import db from '@adonisjs/lucid/services/db'
import { randomUUID } from 'node:crypto'

/** A stopped instance of the customer, so that nobody tries to reach it. */
async function stopped({ customer }: Cast): Promise<number> {
  const { id } = await db.from('server_packages').where('instance_type', 'regular').firstOrFail()
  const instance = await ServerInstance.create({
    customerId: customer.id,
    serverPackageId: id,
    name: `git-${randomUUID().slice(0, 8)}`,
    instanceType: 'regular',
    status: 'stopped',
    billingPeriod: 'month',
    ports: {},
  })
  return instance.id
}

const sent = (more: object) => async (cast: Cast) => ({
  body: { path: '', server_instance_id: await stopped(cast), ...more },
})

const login = { username: 'ana', password: 'a token' }

/** signed out, customer, other customer, support, administrator */
const rows: Row[] = [
  [
    'GET /git/details',
    'call',
    '401 409 404 401 401',
    async (cast) => ({ query: `path=&server_instance_id=${await stopped(cast)}` }),
  ],
  ['POST /git/checkout', 'call', '401 409 404 401 401', sent({ branch: 'main' })],
  [
    'POST /git/update-branch',
    'call',
    '401 409 404 401 401',
    sent({ branch: 'main', action: 'merge' }),
  ],
  ['POST /git/delete-branch', 'call', '401 409 404 401 401', sent({ branch: 'main' })],
  [
    'POST /git/clone',
    'call',
    '401 409 404 401 401',
    sent({ repository: 'https://git.example/a.git', ...login }),
  ],
]

export default rows
