import { ServerInstance } from '#instances/public'
import type { InstanceStatus } from '#instances/models/server_instance'
import { createSmallPackage, uniqueName } from '#tests/support/hosts'

/** An instance of an account, as a row only: nothing of it runs anywhere. */
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
