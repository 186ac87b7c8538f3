import { invalid } from '#core/app_error'
import Domain from '#edge/models/domain'
import { findReservedNameProblem } from '#edge/reserved_names'
import { lookUpAddressesAndTxt } from '#packages/edge/main'
import env from '#start/env'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { DateTime } from 'luxon'
import { createHmac } from 'node:crypto'

export type DomainOwnershipState =
  | 'held'
  | 'open'
  /**
   * Several accounts claim the name, so DNS records that point to the edge prove nothing. Only the
   * TXT record decides.
   */
  | 'contested'
  | 'taken'
  /** The name belongs to this installation itself. */
  | 'reserved'

export function proofRecordName(name: string): string {
  return `_berth.${name}`
}

export function proofToken(accountId: number | string): string {
  const key = env.get('APP_KEY').release()
  const mark = createHmac('sha256', key).update(`domain-proof:${accountId}`).digest('hex')
  return `berth=${mark.slice(0, 32)}`
}

/**
 * Returns the DNS servers in `DNS_SERVERS`. If none are set, returns an empty list, which means the
 * system's servers.
 */
export function configuredDnsServers(): string[] {
  return (env.get('DNS_SERVERS') ?? '').split(',').flatMap((text) => text.trim() || [])
}

/**
 * Decides from DNS records which account owns a domain (docs/decisions/0012). An account whose TXT
 * record is in DNS replaces an owner whose record is not. If no other account claims the domain, an
 * address record that points to this edge is sufficient proof.
 */
export function updateDomainOwnership(
  domain: Pick<Domain, 'id' | 'subdomain'>,
  { texts, pointsToEdge }: { texts: string[]; pointsToEdge: boolean }
): Promise<DomainOwnershipState> {
  const { id, subdomain } = domain
  const shows = (one: Domain) => texts.includes(proofToken(one.accountId))
  return db.transaction(async (trx) => {
    await trx.rawQuery('select pg_advisory_xact_lock(hashtext(?))', [`domain:${subdomain}`])
    const all = await Domain.query({ client: trx }).where({ subdomain })
    const mine = all.find((one) => one.id === id)
    if (!mine) return 'open'
    const holder = all.find(({ provenAt }) => provenAt !== null)
    if (findReservedNameProblem(subdomain)) {
      if (holder === mine) await removeProof(mine)
      return 'reserved'
    }
    if (holder === mine) {
      if (mine.provenBy !== 'txt' && shows(mine)) await mine.merge({ provenBy: 'txt' }).save()
      return 'held'
    }
    if (shows(mine)) {
      if (holder && shows(holder)) return 'taken'
      if (holder) await removeProof(holder)
      await mine.merge({ provenBy: 'txt', provenAt: DateTime.utc() }).save()
      return 'held'
    }
    if (holder) return 'taken'
    if (!pointsToEdge) return 'open'
    if (all.length > 1) return 'contested'
    await mine.merge({ provenBy: 'address', provenAt: DateTime.utc() }).save()
    return 'held'
  })
}

async function removeProof(domain: Domain): Promise<void> {
  const lost = { provenBy: null, provenAt: null, wantsCertificate: false, certificateUntil: null }
  await domain.merge({ ...lost, status: 'failed', step: 'dns', checkAt: DateTime.utc() }).save()
}

/** TXT records by domain, for domains whose ownership another account has proven. */
export type DomainProofs = Map<string, string[]>

/**
 * Looks up TXT records. Call it before a transaction starts: while a DNS server is slow, the
 * transaction would keep its connection and locks.
 */
export async function lookUpDomainProofs(
  names: string[],
  accountId: number
): Promise<DomainProofs> {
  const contested = await ownedByOthers(accountId).whereIn('subdomain', names)
  const servers = configuredDnsServers()
  const found = contested.map(async ({ subdomain }) => {
    const { texts } = await lookUpAddressesAndTxt(subdomain, proofRecordName(subdomain), servers)
    return [subdomain, texts] as const
  })
  return new Map(await Promise.all(found))
}

const ownedByOthers = (accountId: number, client?: TransactionClientContract) =>
  Domain.query({ client }).whereNotNull('provenAt').whereNot('accountId', accountId)

/**
 * Throws if another account has proven ownership, unless DNS now contains this account's TXT record
 * and not the other account's.
 * @param proofs from `lookUpDomainProofs`
 * @param field the form field for the error
 * @throws 422 with the TXT record that would prove ownership
 */
export async function assertNotOwnedByOthers(
  name: string,
  accountId: number,
  field: string,
  proofs: DomainProofs,
  trx?: TransactionClientContract
): Promise<void> {
  const holder = await ownedByOthers(accountId, trx).where('subdomain', name).first()
  if (!holder) return
  const texts = proofs.get(name) ?? []
  const token = proofToken(accountId)
  if (texts.includes(token) && !texts.includes(proofToken(holder.accountId))) return
  throw invalid({
    [field]: `${name} is used by another account. If the domain is yours, set the TXT record ${proofRecordName(name)} to ${token} and try again.`,
  })
}
