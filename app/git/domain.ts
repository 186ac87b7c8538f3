import { defineDomain } from '#core/domains'
import { cloneOperation } from '#git/operations/clone'

export default defineDomain({
  name: 'git',
  routes: () => import('#git/routes'),
  operations: [cloneOperation],
})
