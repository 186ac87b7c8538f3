import { parseRecordId } from '#core/record_id'
import { notFound } from '#core/app_error'
import HostInstance from '#hosts/models/host_instance'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/**
 * @param id unvalidated value from a request
 * @throws 404 if there is no such host, or it is deleted
 */
export async function getHost(id: unknown, trx?: TransactionClientContract): Promise<HostInstance> {
  const key = parseRecordId(id)
  const host = key ? await HostInstance.live({ client: trx }).where('id', key).first() : null
  if (!host) throw notFound('host instance')
  return host
}
