import type { MatrixPeople, MatrixRow } from '#tests/support/access_matrix'
import { makeActiveInstance } from '#tests/support/access_matrix_instances'

/**
 * Returns a request with a domain list. Customers can set the list only of shared instances, so the
 * customer's regular instance rejects it.
 */
const withList = async (cast: MatrixPeople) => {
  const { body } = await makeActiveInstance(cast)
  return { body: { ...body, domains: [], subdomain: 'shop.example.com' } }
}

const rows: MatrixRow[] = [
  ['POST /server-instance/update', 'call', '401 409 404 401 401', withList],
  ['GET /server-instance/domain/name', 'call', '401 422 422 401 401'],
  ['POST /server-instance/domain/check', 'call', '401 404 404 401 401', withList],
  ['POST /admin/server-instance/domain/check', 'call', '401 401 401 403 404', withList],
]

export default rows
