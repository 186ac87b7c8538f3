import { defineModule } from '#core/modules'
import { auditMessages } from '#git/audit_messages'
import { deleteDeployKeysOfInstance } from '#git/deploy_keys'
import { cloneOperation } from '#git/operations/clone'
import { beforeInstanceDeletion } from '#instances/public'

export default defineModule({
  name: 'git',
  routes: () => import('#git/routes'),
  operations: [cloneOperation],
  auditMessages,
  bind() {
    beforeInstanceDeletion(deleteDeployKeysOfInstance)
  },
})
