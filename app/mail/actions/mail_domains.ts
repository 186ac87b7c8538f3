import { loadCustomersById, lockAccountRow } from '#accounts/public'
import { audit } from '#core/audit/audit'
import { accountIdOf, type Actor } from '#core/contracts/actor'
import { sendMail } from '#core/mail/send_mail'
import { conflict, notFound } from '#core/app_error'
import { type HeldLock, withLock } from '#core/locks'
import { reserveId } from '#core/reserve_id'
import { configuredDnsServers } from '#edge/public'
import type { Requester } from '#mail/actions/change_sender'
import { unverifySendersOfDomain, verifyPendingSendersOfDomain } from '#mail/actions/verify_sender'
import { domainTaken, tooManyDomains, confirmationMismatch } from '#mail/errors'
import { DOMAIN_GRACE_DAYS, MAX_DOMAINS } from '#mail/limits'
import { brokenDomainMail } from '#mail/mails'
import MailDomain from '#mail/models/mail_domain'
import { countMailDomainsOfAccount } from '#mail/queries/senders'
import { type DnsRecordCheck, checkDnsRecords } from '#mail/dns_records'
import { callMailService } from '#mail/call_mail_service'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { DateTime } from 'luxon'

/**
 * The mail service creates the domain's first signing key.
 * @param domain in ASCII (IDNA)
 */
export async function createMailDomain(
  actor: Actor,
  domain: string,
  ip?: string
): Promise<MailDomain> {
  const accountId = accountIdOf(actor)
  await assertCanCreate(accountId, domain)
  const id = await reserveId(MailDomain.table)
  await callMailService('makeDomain', { id, accountId, domain })
  try {
    return await db.transaction(async (trx) => {
      await lockAccountRow(accountId, trx)
      await assertCanCreate(accountId, domain, trx)
      const values = { id, accountId, domain, status: 'pending' as const, findings: [] }
      const mailDomain = await MailDomain.create(values, { client: trx })
      await auditDomain(mailDomain, 'mail_domain.store', { actor, ip }, trx)
      return mailDomain
    })
  } catch (error) {
    // Deletes the domain at the mail service only if its row is missing. The commit may have succeeded
    // although its response was lost.
    if (!(await MailDomain.find(id).catch(() => true)))
      void callMailService('changeDomain', { id, state: 'deleted' }).catch(() => {})
    throw error
  }
}

/** The result is certain only in a transaction that has locked the account's row. */
async function assertCanCreate(
  accountId: number,
  domain: string,
  trx?: TransactionClientContract
): Promise<void> {
  if ((await countMailDomainsOfAccount(accountId, trx)) >= MAX_DOMAINS) throw tooManyDomains()
  const known = await MailDomain.live({ client: trx }).where({ accountId, domain }).first()
  if (known) throw domainTaken()
}

function withLockedDomain<Result>(
  { id, domain }: Pick<MailDomain, 'id' | 'domain'>,
  run: (locked: MailDomain, lock: HeldLock) => Promise<Result>
): Promise<Result> {
  return withLock(`mail-domain:${domain}`, async (lock) => {
    const locked = await MailDomain.live().where({ id }).first()
    if (!locked) throw notFound('domain')
    return run(locked, lock)
  })
}

/**
 * If the look-up of a required record fails, the status stays. If the domain is active in another
 * account, it stays active there until that account's records are gone.
 * @throws 409 if this account's records are correct, but the domain stays active in another account
 */
export async function refreshMailDomainStatus(
  domain: MailDomain,
  by: Requester
): Promise<MailDomain> {
  const findings = await checkRecords(domain)
  if (domain.status === 'pending' && areAllRecordsCorrect(findings)) await checkOthers(domain)
  const { settled, held } = await saveDomainStatus(domain, findings, by)
  if (held) {
    throw conflict(
      `${domain.domain} is active in another account. To use the domain here, first remove its old records from DNS.`
    )
  }
  return settled
}

async function checkRecords({ id }: MailDomain): Promise<DnsRecordCheck[]> {
  return checkDnsRecords(await callMailService('domain', { id }), configuredDnsServers())
}

const areAllRecordsCorrect = (findings: DnsRecordCheck[]) =>
  findings.every(({ needed, state }) => !needed || state === 'found')
const isUnknown = (findings: DnsRecordCheck[]) =>
  findings.some(({ needed, state }) => needed && state === 'unknown')

/** The domain must be inactive in other accounts before it can become active in this one. */
async function checkOthers({ id, domain }: MailDomain): Promise<void> {
  const others = await MailDomain.query().where({ domain, status: 'active' }).whereNot({ id })
  for (const other of others)
    await saveDomainStatus(other, await checkRecords(other), { actor: null })
}

/** `held` in the result: all records are correct, but the domain is active in another account. */
async function saveDomainStatus(
  domain: MailDomain,
  findings: DnsRecordCheck[],
  by: Requester
): Promise<{ settled: MailDomain; held: boolean }> {
  return withLockedDomain(domain, async (locked, lock) => {
    locked.merge({ findings })
    let held = false
    if (areAllRecordsCorrect(findings)) held = !(await activateDomain(lock, locked, by))
    else if (!isUnknown(findings)) await deactivateDomain(lock, locked, by)
    // `checkedAt` is saved last. If the mail service fails before, a scheduled check stays due, and is
    // repeated within minutes instead of after a day.
    await locked.merge({ checkedAt: DateTime.utc() }).save()
    return { settled: locked, held }
  })
}

async function activateDomain(lock: HeldLock, domain: MailDomain, by: Requester): Promise<boolean> {
  domain.failingSince = null
  if (domain.status !== 'active') {
    const held = { domain: domain.domain, status: 'active' }
    if (await MailDomain.query().where(held).first()) return false
  }
  // Called even if the domain is already active: an interrupted deletion may have changed only the
  // service.
  await callMailService('changeDomain', { id: domain.id, state: 'active' })
  if (domain.status !== 'active') {
    domain.merge({ status: 'active', activeAt: DateTime.utc() })
    await saveDomain(lock, domain, 'mail_domain.active', by)
  }
  await verifyPendingSendersOfDomain(domain, by)
  return true
}

/**
 * Makes the mail service stop signing with the domain's own key. The domain's senders stay verified
 * for `DOMAIN_GRACE_DAYS`.
 */
async function deactivateDomain(lock: HeldLock, domain: MailDomain, by: Requester): Promise<void> {
  // Called even if the domain is already pending: an interrupted change may have changed only the
  // service.
  await callMailService('changeDomain', { id: domain.id, state: 'pending' })
  if (domain.status === 'active') {
    domain.merge({ status: 'pending', failingSince: DateTime.utc() })
    await saveDomain(lock, domain, 'mail_domain.broken', by, async (trx) => {
      const owner = (await loadCustomersById([domain.accountId], trx)).get(domain.accountId)
      if (owner) await sendMail(brokenDomainMail(owner.email, domain), trx)
    })
    return
  }
  const { failingSince } = domain
  if (failingSince && failingSince < DateTime.utc().minus({ days: DOMAIN_GRACE_DAYS })) {
    await unverifySendersOfDomain(domain, by)
    domain.failingSince = null
  }
}

async function saveDomain(
  lock: HeldLock,
  domain: MailDomain,
  action: string,
  by: Requester,
  also?: (trx: TransactionClientContract) => Promise<void>
): Promise<void> {
  await db.transaction(async (trx) => {
    await domain.useTransaction(trx).save()
    await auditDomain(domain, action, by, trx)
    await also?.(trx)
    await lock.assertHeld(trx)
  })
}

/** @param typed must equal the domain exactly; 422 otherwise */
export async function deleteMailDomain(
  domain: MailDomain,
  typed: unknown,
  by: Requester
): Promise<void> {
  if (typed !== domain.domain) throw confirmationMismatch('domain')
  await withLockedDomain(domain, async (locked, lock) => {
    await callMailService('changeDomain', { id: locked.id, state: 'deleted' })
    // Saved before the addresses lose their verification, so that the domain verifies no further
    // address meanwhile.
    if (locked.status === 'active')
      await locked.merge({ status: 'pending', failingSince: DateTime.utc() }).save()
    // Done before the row is deleted, so that an interrupted deletion can be repeated.
    await unverifySendersOfDomain(locked, by)
    locked.merge({ status: 'deleted', deletedAt: DateTime.utc() })
    await saveDomain(lock, locked, 'mail_domain.delete', by)
  })
}

export async function createNextSigningKey(domain: MailDomain, by: Requester): Promise<void> {
  await withLockedDomain(domain, async (locked) => {
    await callMailService('nextDkim', { id: locked.id })
    await auditDomain(locked, 'mail_domain.rotate', by)
  })
  await refreshMailDomainStatus(domain, by)
}

/** @throws 409 if there is no second key, or DNS does not contain it yet */
export async function switchSigningKey(domain: MailDomain, by: Requester): Promise<void> {
  const info = await callMailService('domain', { id: domain.id })
  const next = info.keys.find(({ state }) => state === 'next')
  if (!next) throw conflict('There is no second signing key. Create one first.')
  const findings = await checkDnsRecords(info, configuredDnsServers())
  const name = `${next.selector}._domainkey.${domain.domain}`
  if (!findings.some((one) => one.name === name && one.state === 'found')) {
    await saveDomainStatus(domain, findings, by)
    throw conflict(`DNS does not show ${name} yet. Publish it, wait a while, and try again.`)
  }
  await withLockedDomain(domain, async (locked) => {
    await callMailService('switchDkim', { id: locked.id })
    await auditDomain(locked, 'mail_domain.switch', by)
  })
  await refreshMailDomainStatus(domain, by)
}

async function auditDomain(
  { id, accountId, domain }: MailDomain,
  action: string,
  { actor, ip }: Requester,
  trx?: TransactionClientContract
): Promise<void> {
  const subject = { type: 'mail_domain' as const, id, label: domain }
  await audit({ actor, accountId, action, subject, ip }, trx)
}
