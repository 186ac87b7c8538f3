import MailDomain from '#mail/models/mail_domain'
import Sender from '#mail/models/sender'
import { makeDomain, makeSender } from '#mail/tests/fixtures'
import type { MatrixPeople, MatrixRow } from '#tests/support/access_matrix'

/**
 * Returns the account's verified sender. Creates one only if there is none, because an account can have only a limited
 * number of senders.
 */
async function senderOf({ customer }: MatrixPeople): Promise<Sender> {
  const mine = Sender.query().where({ accountId: customer.id, status: 'verified' })
  return (await mine.first()) ?? makeSender(customer)
}

async function domainOf({ customer }: MatrixPeople): Promise<MailDomain> {
  const mine = MailDomain.live().where({ accountId: customer.id })
  return (await mine.first()) ?? makeDomain(customer)
}

const none = '00000000-0000-4000-8000-000000000000'

const pageOf = async (cast: MatrixPeople) => ({
  params: { id: (await senderOf(cast)).id },
  query: `message_id=${none}&webhook_id=1`,
})
const call = (body: object) => async (cast: MatrixPeople) => ({
  body: { id: (await senderOf(cast)).id, ...body },
})
const domainPage = async (cast: MatrixPeople) => ({ params: { id: (await domainOf(cast)).id } })
const domain = (body: object) => async (cast: MatrixPeople) => ({
  body: { id: (await domainOf(cast)).id, ...body },
})

const rows: MatrixRow[] = [
  ['GET /email', 'page', '302 302 302 302 302 302 403'],
  ['GET /email/list', 'page', '302 200 200 302 302'],
  ['GET /email/:id', 'page', '302 200 404 302 302', pageOf],
  ['GET /email/:id/usage', 'call', '401 200 404 401 401', pageOf],
  ['GET /email/:id/messages', 'call', '401 200 404 401 401', pageOf],
  ['GET /email/:id/message', 'call', '401 404 404 401 401', pageOf],
  ['GET /email/:id/suppressions', 'call', '401 200 404 401 401', pageOf],
  ['GET /email/:id/webhooks', 'call', '401 200 404 401 401', pageOf],
  ['GET /email/:id/deliveries', 'call', '401 200 404 401 401', pageOf],
  ['POST /email/store', 'call', '401 422 422 401 401', () => ({ body: { email: 'a' } })],
  ['POST /email/link', 'call', '401 409 404 401 401', call({})],
  ['POST /email/update', 'call', '401 200 404 401 401', call({ track_opens: false })],
  ['POST /email/test', 'call', '401 200 404 401 401', call({})],
  ['POST /email/delete', 'call', '401 422 404 401 401', call({ email: 'another' })],
  ['POST /email/secret', 'call', '401 200 404 401 401', call({})],
  ['POST /email/secret/rotate', 'call', '401 200 404 401 401', call({ overlap: 0 })],
  ['POST /email/message/cancel', 'call', '401 404 404 401 401', call({ message_id: none })],
  ['POST /email/message/retry', 'call', '401 404 404 401 401', call({ message_id: none })],
  ['POST /email/suppression/store', 'call', '401 422 404 401 401', call({ recipient: 'a' })],
  ['POST /email/suppression/remove', 'call', '401 200 404 401 401', call({ recipient: 'a@b.c' })],
  ['POST /email/webhook/store', 'call', '401 422 404 401 401', call({ url: 'a', events: [] })],
  ['POST /email/webhook/update', 'call', '401 404 404 401 401', call({ webhook_id: 9_999 })],
  ['POST /email/webhook/remove', 'call', '401 200 404 401 401', call({ webhook_id: 9_999 })],
  [
    'POST /email/webhook/resend',
    'call',
    '401 422 404 401 401',
    call({ webhook_id: 1, delivery_id: 'one' }),
  ],
  ['GET /email/domain/:id', 'page', '302 200 404 302 302', domainPage],
  ['POST /email/domain/store', 'call', '401 422 422 401 401', () => ({ body: { domain: 'a' } })],
  ['POST /email/domain/check', 'call', '401 200 404 401 401', domain({})],
  ['POST /email/domain/rotate', 'call', '401 200 404 401 401', domain({})],
  ['POST /email/domain/switch', 'call', '401 409 404 401 401', domain({})],
  ['POST /email/domain/delete', 'call', '401 422 404 401 401', domain({ domain: 'another' })],
  // The link in the verification email works for anyone who has it, signed in or not.
  [
    'GET /email/verify/:token',
    'page',
    '200 200 200 200 200 200 200',
    () => ({ params: { token: 'none' } }),
  ],
  [
    'POST /email/verify',
    'call',
    '409 409 409 409 409 409 409',
    () => ({ body: { token: 'none' } }),
  ],
  ['GET /admin/email/list', 'page', '302 302 302 200 200'],
  ['GET /admin/email/:id', 'page', '302 302 302 200 200', pageOf],
  ['GET /admin/email/:id/usage', 'call', '401 401 401 200 200', pageOf],
  ['GET /admin/email/:id/messages', 'call', '401 401 401 200 200', pageOf],
  ['GET /admin/email/:id/message', 'call', '401 401 401 404 404', pageOf],
  ['POST /admin/email/limit', 'call', '401 401 401 403 200', call({ hourly_limit: 500 })],
  ['POST /admin/email/suspend', 'call', '401 401 401 403 200', call({ reason: 'Abuse' })],
  ['POST /admin/email/resume', 'call', '401 401 401 403 409', call({})],
  ['POST /admin/email/delete', 'call', '401 401 401 403 422', call({ email: 'another' })],
]

export default rows
