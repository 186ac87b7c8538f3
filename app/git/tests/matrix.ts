import { makeInstance } from '#guest/tests/instances'
import type { MatrixPeople, MatrixRow } from '#tests/support/access_matrix'

/** Returns the id of a stopped instance. No request then connects to it. */
async function stopped({ customer }: MatrixPeople): Promise<number> {
  return (await makeInstance(customer, { status: 'stopped' })).id
}

const sent = (more: object) => async (cast: MatrixPeople) => ({
  body: { path: '', server_instance_id: await stopped(cast), ...more },
})

const login = { username: 'ana', password: 'a token' }

const rows: MatrixRow[] = [
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
  [
    'GET /git/conflicts',
    'call',
    '401 409 404 401 401',
    async (cast) => ({ query: `path=&server_instance_id=${await stopped(cast)}` }),
  ],
  [
    'GET /git/conflict',
    'call',
    '401 409 404 401 401',
    async (cast) => ({ query: `path=&file=a&server_instance_id=${await stopped(cast)}` }),
  ],
  ['POST /git/solve-conflict', 'call', '401 409 404 401 401', sent({ file: 'a', keep: 'ours' })],
  ['POST /git/finish-merge', 'call', '401 409 404 401 401', sent({})],
  ['POST /git/abort-merge', 'call', '401 409 404 401 401', sent({})],
  ['POST /git/remove-lock', 'call', '401 409 404 401 401', sent({})],
  ['POST /git/delete-branch', 'call', '401 409 404 401 401', sent({ branch: 'main' })],
  [
    'GET /git/deploy-key',
    'call',
    '401 409 404 401 401',
    async (cast) => ({
      query: `path=&repository=git@git.example:a.git&server_instance_id=${await stopped(cast)}`,
    }),
  ],
  [
    'POST /git/deploy-key',
    'call',
    '401 409 404 401 401',
    sent({ repository: 'git@git.example:a.git' }),
  ],
  [
    'POST /git/clone',
    'call',
    '401 409 404 401 401',
    sent({ repository: 'https://git.example/a.git', ...login }),
  ],
]

export default rows
