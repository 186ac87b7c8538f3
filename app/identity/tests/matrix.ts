import Device from '#identity/models/device'
import { freshEmail, signIn } from '#tests/support/people'
import type { MatrixPeople, MatrixRow } from '#tests/support/access_matrix'

const ours = { headers: { 'sec-fetch-site': 'same-origin' } }

/**
 * Returns a request body with the id of a device (signed-in browser) of the customer. Signs the customer in if
 * there is none.
 */
async function deviceOf({ customer }: MatrixPeople) {
  const find = () => Device.query().where('personId', customer.id).orderBy('createdAt').first()
  if (!(await find())) await signIn(customer)
  return { body: { id: (await find())!.id } }
}

function staffToMake() {
  return { body: { name: 'Mate', email: freshEmail('mate'), role: 'support' } }
}

const self = ({ support }: MatrixPeople) => ({
  body: { id: support.id, name: support.name, role: 'support' },
})

const rows: MatrixRow[] = [
  ['GET /', 'page', '200 200 200 200 200'],
  ['GET /login', 'page', '200 302 302 200 200 302 302'],
  ['POST /login', 'call', '422 422 422 422 422'],
  ['POST /send-otp', 'call', '422 422 422 422 422'],
  ['POST /match-otp', 'call', '422 422 422 422 422'],
  ['POST /check-mail', 'call', '422 422 422 422 422'],
  ['GET /google/redirect', 'page', '302 302 302 302 302'],
  ['GET /google/callback', 'page', '302 302 302 302 302'],
  ['GET /logout', 'call', '403 403 403 403 403'],
  ['POST /logout', 'call', '200 200 200 200 200', undefined, 'new people'],
  ['GET /profile', 'page', '302 200 200 302 302 200 200'],
  [
    'POST /profile/update',
    'call',
    '401 200 200 401 401 200 200',
    () => ({ body: { name: 'Ada' } }),
  ],
  ['POST /profile/password', 'call', '401 422 422 401 401 422 422'],
  ['POST /profile/email', 'call', '401 422 422 401 401 422 422'],
  ['POST /profile/email/confirm', 'call', '401 422 422 401 401 422 422'],
  ['POST /profile/email/cancel', 'call', '401 200 200 401 401 200 200'],
  ['POST /profile/devices/end', 'call', '401 200 404 401 401 404 404', deviceOf, 'new people'],
  ['POST /profile/devices/end-all', 'call', '401 200 200 401 401 200 200', undefined, 'new people'],
  ['GET /admin', 'page', '302 302 302 200 200'],
  ['GET /admin/login', 'page', '200 200 200 302 302'],
  ['POST /admin/login', 'call', '422 422 422 422 422'],
  ['POST /admin/send-otp', 'call', '422 422 422 422 422'],
  ['POST /admin/match-otp', 'call', '422 422 422 422 422'],
  ['GET /admin/logout', 'call', '200 200 200 200 200', () => ours, 'new people'],
  ['POST /admin/logout', 'call', '200 200 200 200 200', undefined, 'new people'],
  ['GET /admin/profile', 'page', '302 302 302 200 200'],
  ['POST /admin/profile/update', 'call', '401 401 401 200 200', () => ({ body: { name: 'Mate' } })],
  ['POST /admin/profile/password', 'call', '401 401 401 422 422'],
  ['POST /admin/profile/email', 'call', '401 401 401 422 422'],
  ['POST /admin/profile/email/confirm', 'call', '401 401 401 422 422'],
  ['POST /admin/profile/email/cancel', 'call', '401 401 401 200 200'],
  ['POST /admin/profile/devices/end', 'call', '401 401 401 404 404', deviceOf],
  ['POST /admin/profile/devices/end-all', 'call', '401 401 401 200 200', undefined, 'new people'],
  ['GET /admin/staff', 'page', '302 302 302 302 302'],
  ['GET /admin/staff/list', 'page', '302 302 302 200 200'],
  ['POST /admin/staff/invite', 'call', '401 401 401 403 201', staffToMake],
  ['POST /admin/staff/invite-again', 'call', '401 401 401 403 409', self],
  ['POST /admin/staff/update', 'call', '401 401 401 403 200', self],
  ['POST /admin/staff/disable', 'call', '401 401 401 403 200', self, 'new people'],
  ['POST /admin/staff/enable', 'call', '401 401 401 403 200', self],
  ['GET /admin/audit', 'page', '302 302 302 200 200'],
]

export default rows
