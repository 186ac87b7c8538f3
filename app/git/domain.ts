import { defineDomain } from '#core/domains'
import { auditWords } from '#git/audit_words'
import { cloneOperation } from '#git/operations/clone'

export default defineDomain({
  name: 'git',
  routes: () => import('#git/routes'),
  operations: [cloneOperation],
  auditWords,
})
