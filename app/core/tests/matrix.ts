import Operation from '#core/models/operation'
import type { MatrixPeople, MatrixRow } from '#tests/support/access_matrix'
import db from '@adonisjs/lucid/services/db'
import { randomUUID } from 'node:crypto'

async function over({ customer }: MatrixPeople) {
  const id = randomUUID()
  const subject = { subjectType: 'test', subjectId: id }
  const work = {
    id,
    kind: 'test.over',
    title: 'Over',
    queue: 'machine' as const,
    accountId: customer.id,
  }
  await Operation.create({ ...work, ...subject, input: {}, state: {}, steps: [], status: 'done' })
  return { params: { id } }
}

async function anAlert() {
  const [{ id }] = await db
    .table('alerts')
    .insert({
      name: 'test.matrix',
      key: randomUUID(),
      label: 'Matrix',
      severity: 'warning',
      status: 'resolved',
      words: 'It was.',
      began_at: new Date(),
      seen_at: new Date(),
    })
    .returning('id')
  return { params: { id: String(id) } }
}

const rows: MatrixRow[] = [
  ['GET /changes', 'call', '401 200 200 401 401 200 200'],
  ['GET /admin/changes', 'call', '401 401 401 200 200'],
  ['GET /find', 'call', '401 200 200 401 401 200 200'],
  ['GET /admin/find', 'call', '401 401 401 200 200'],
  ['GET /operations/running', 'call', '401 200 200 401 401 200 200'],
  ['GET /operations/:id', 'call', '401 200 404 401 401 200 200', over],
  ['GET /operations/:id/events', 'call', '401 200 404 401 401 200 200', over],
  ['GET /operations/:id/output', 'call', '401 200 404 401 401', over],
  ['POST /operations/:id/cancel', 'call', '401 409 404 401 401', over],
  ['GET /admin/operations/running', 'call', '401 401 401 200 200'],
  ['GET /admin/operations/:id', 'call', '401 401 401 200 200', over],
  ['GET /admin/operations/:id/events', 'call', '401 401 401 200 200', over],
  ['GET /admin/operations/:id/output', 'call', '401 401 401 200 200', over],
  ['GET /admin/system', 'page', '302 302 302 200 200'],
  ['POST /admin/operations/dismiss', 'call', '401 401 401 403 422'],
  ['POST /admin/operations/:id/retry', 'call', '401 401 401 403 409', over],
  ['POST /admin/operations/:id/give-up', 'call', '401 401 401 403 409', over],
  ['POST /admin/alerts/:id/silence', 'call', '401 401 401 422 422', anAlert],
  ['POST /admin/alerts/:id/unsilence', 'call', '401 401 401 409 409', anAlert],
  ['GET /admin/settings/alerts', 'page', '302 302 302 200 200'],
  [
    'POST /admin/settings/alerts/update',
    'call',
    '401 401 401 403 422',
    () => ({ body: { webhook_url: 'nowhere' } }),
  ],
  ['POST /admin/settings/alerts/secret', 'call', '401 401 401 403 409'],
  ['POST /admin/settings/alerts/test', 'call', '401 401 401 403 200'],
  ['GET /mail-logo', 'call', '404 404 404 404 404 404 404'],
  ['GET /admin/settings/mail', 'page', '302 302 302 200 200'],
  [
    'GET /admin/settings/mail/preview',
    'call',
    '401 401 401 200 200',
    () => ({ query: 'kind=identity.code' }),
  ],
  ['POST /admin/settings/mail/update', 'call', '401 401 401 403 422', () => ({ body: {} })],
  ['POST /admin/settings/mail/words', 'call', '401 401 401 403 422', () => ({ body: {} })],
  ['POST /admin/settings/mail/test', 'call', '401 401 401 403 422', () => ({ body: {} })],
  ['GET /*', 'page', '404 404 404 404 404'],
]

export default rows
