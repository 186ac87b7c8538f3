import { stoppedInstance } from '#tests/support/instances'
import type { Cast, Row } from '#tests/support/matrix'

const stopped = async ({ customer }: Cast) => (await stoppedInstance(customer)).id

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
