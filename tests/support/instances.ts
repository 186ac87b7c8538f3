import { ServerInstance } from '#instances/public'
import type { InstanceStatus } from '#instances/models/server_instance'
import { createSmallPackage, uniqueName } from '#tests/support/hosts'

/** Creates the row of an instance. No container is created. */
export async function makeInstance(
  { id: accountId }: { id: number },
  status: InstanceStatus = 'active'
): Promise<ServerInstance> {
  const { id: serverPackageId } = await createSmallPackage('regular')
  return ServerInstance.create({
    accountId,
    serverPackageId,
    status,
    name: uniqueName('row'),
    instanceType: 'regular',
    billingPeriod: 'month',
    ports: {},
  })
}
