import { defineDomain } from '#core/domains'
import { auditWords } from '#git/audit_words'
import { forgetDeployKeys } from '#git/deploy_keys'
import { cloneOperation } from '#git/operations/clone'
import { onInstanceDeleted } from '#instances/public'

export default defineDomain({
  name: 'git',
  routes: () => import('#git/routes'),
  operations: [cloneOperation],
  auditWords,
  bind() {
    onInstanceDeleted(forgetDeployKeys)
  },
})
