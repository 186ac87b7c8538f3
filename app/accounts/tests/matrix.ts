import Invitation from '#accounts/models/invitation'
import { freshEmail } from '#tests/support/people'
import type { MatrixPeople, MatrixRow } from '#tests/support/access_matrix'
import { DateTime } from 'luxon'
import { randomUUID } from 'node:crypto'

async function invitation(cast: MatrixPeople, email = cast.other.email) {
  await Invitation.query().where({ accountId: cast.customer.id }).delete()
  const { id } = await Invitation.create({
    id: randomUUID(),
    accountId: cast.customer.id,
    email,
    role: 'billing',
    expiresAt: DateTime.utc().plus({ days: 1 }),
  })
  return { params: { id }, body: { id } }
}

const toOther = (cast: MatrixPeople) => invitation(cast)
const toCustomer = (cast: MatrixPeople) => invitation(cast, cast.customer.email)
const account = ({ customer }: MatrixPeople) => ({
  params: { id: customer.id },
  body: { id: customer.id },
})
const saying = (more: object) => (cast: MatrixPeople) => ({
  body: { id: cast.customer.id, ...more },
})
const somebody = () => ({ body: { email: freshEmail('invited'), role: 'developer' } })
const developer = ({ developer: { id } }: MatrixPeople) => ({ body: { id, role: 'developer' } })

const rows: MatrixRow[] = [
  ['GET /profile/members', 'page', '302 200 200 302 302 200 200'],
  ['POST /profile/members/invite', 'call', '401 201 201 401 401 403 403', somebody],
  [
    'POST /profile/members/withdraw',
    'call',
    '401 200 404 401 401 403 403',
    toOther,
    'new resource',
  ],
  ['POST /profile/members/update', 'call', '401 200 404 401 401 403 403', developer],
  ['POST /profile/members/remove', 'call', '401 200 404 401 401 200 403', developer, 'new people'],
  [
    'POST /profile/members/rename',
    'call',
    '401 200 200 401 401 403 403',
    () => ({ body: { name: 'Harbour' } }),
  ],
  ['GET /invitation/:id', 'page', '302 403 200 302 302 403 403', toOther],
  ['POST /invitation/accept', 'call', '401 200 403 401 401 403 403', toCustomer, 'new people'],
  ['POST /invitation/decline', 'call', '401 403 200 401 401 403 403', toOther, 'new resource'],
  ['POST /account/switch', 'call', '401 200 404 401 401 200 200', account],
  ['GET /admin/customer/list', 'page', '302 302 302 200 200'],
  ['GET /admin/customer/:id', 'page', '302 302 302 200 200', account],
  ['POST /admin/customer/note', 'call', '401 401 401 201 201', saying({ text: 'Called.' })],
  [
    'POST /admin/customer/suspend',
    'call',
    '401 401 401 403 200',
    saying({ reason: 'x' }),
    'new people',
  ],
  ['POST /admin/customer/resume', 'call', '401 401 401 403 409', account],
  ['POST /admin/customer/sign-out', 'call', '401 401 401 403 200', account, 'new people'],
]

export default rows
