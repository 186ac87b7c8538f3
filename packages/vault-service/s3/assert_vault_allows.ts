import { vaultErrors } from '../errors.js'
import type { AccessKey, Vault } from '../types.js'
import type { S3Address } from './address.js'
import { copyFromOtherVaultError } from './call.js'
import { S3Error } from './errors.js'
import { objectNameError } from './object_names.js'
import type { S3Operation } from './routes.js'

/**
 * @throws S3Error or VaultError if the vault's state or limit, the key, the bucket, the object's name or a `versionId`
 *   does not allow the operation
 */
export function assertVaultAllows(
  operation: Pick<S3Operation, 'changes'>,
  vault: Vault,
  key: AccessKey,
  address: Pick<S3Address, 'bucket' | 'name' | 'query'>
): void {
  if (address.bucket && address.bucket !== vault.key) throw copyFromOtherVaultError()
  if (vault.state === 'suspended') throw vaultErrors.suspended()
  if (operation.changes && key.readOnly) throw vaultErrors.readOnlyKey()
  if (operation.changes && vault.state === 'read_only') throw vaultErrors.readOnly()
  if (operation.changes !== 'removes' && vault.limitReached) throw vaultErrors.limitReached()
  if (!address.name) return
  const fault = objectNameError(address.name, operation.changes === 'adds')
  if (fault) throw fault
  const version = address.query.find(([name]) => name === 'versionId')?.[1]
  if (version && version !== 'null') {
    throw new S3Error('NoSuchVersion', 'Versions of objects are not supported.')
  }
}
