import type { MatrixPeople, MatrixRow } from '#tests/support/access_matrix'
import { startTestVaultService } from '#vault/tests/fixtures'

const theirs =
  (body: object) =>
  ({ customer }: MatrixPeople) => ({
    body: { client_id: customer.id, ...body },
  })
const query = async ({ customer }: MatrixPeople) => {
  await startTestVaultService()
  return { query: `client_id=${customer.id}` }
}
const said = { text: 'Hello' }

const rows: MatrixRow[] = [
  ['GET /live-support/message-list', 'call', '401 200 404 401 401 404 404', query],
  ['POST /live-support/send-message', 'call', '401 201 404 401 401 404 404', theirs(said)],
  ['POST /live-support/read', 'call', '401 200 404 401 401 404 404', theirs({ sequence: 1 })],
  ['POST /live-support/typing', 'call', '401 200 404 401 401 404 404', theirs({})],
  ['POST /chat-file/upload', 'call', '401 422 422 401 401 422 422'],
  ['GET /chat-file/:file', 'call', '401 404 404 401 401 404 404'],
  ['GET /admin/live-support', 'page', '302 302 302 200 200 302 302'],
  ['GET /admin/live-support/message-list', 'call', '401 401 401 200 200', query],
  ['POST /admin/live-support/send-message', 'call', '401 401 401 201 201', theirs(said)],
  ['POST /admin/live-support/read', 'call', '401 401 401 200 200', theirs({ sequence: 1 })],
  ['POST /admin/live-support/typing', 'call', '401 401 401 200 200', theirs({})],
  ['POST /admin/chat-file/upload', 'call', '401 401 401 422 422'],
  ['GET /admin/chat-file/:file', 'call', '401 401 401 404 404'],
  ['GET /admin/live-support/client-list', 'call', '401 401 401 200 200'],
  ['GET /admin/live-support/client', 'call', '401 401 401 200 200', query],
  ['GET /admin/live-support/search', 'call', '401 401 401 200 200', () => ({ query: 'text=a' })],
  ['POST /admin/live-support/status', 'call', '401 401 401 200 200', theirs({ status: 'closed' })],
  ['POST /admin/live-support/assign', 'call', '401 401 401 200 200', theirs({ staff_id: null })],
  ['POST /admin/live-support/looking', 'call', '401 401 401 200 200', theirs({})],
  ['POST /admin/live-support/note', 'call', '401 401 401 201 201', theirs({ text: 'Note' })],
  [
    'POST /admin/live-support/reply/store',
    'call',
    '401 401 401 201 201',
    () => ({ body: { title: 'Of the matrix', text: 'Hello' } }),
  ],
  [
    'POST /admin/live-support/reply/delete',
    'call',
    '401 401 401 200 200',
    () => ({ body: { id: 1 } }),
  ],
]

export default rows
