import type Person from '#identity/models/person'
import { createMailDomain as addDomain } from '#mail/actions/mail_domains'
import { createSender as addSender } from '#mail/actions/create_sender'
import { verifySenderByLink } from '#mail/actions/verify_sender'
import type MailDomain from '#mail/models/mail_domain'
import Sender from '#mail/models/sender'
import { listExpectedDnsRecords } from '#mail/dns_records'
import { type FakeMailService, startFakeMailService } from '#mail/tests/fake_service'
import { setDnsRecords } from '#tests/support/dns_server'
import { listMailsTo } from '#tests/support/outbox_mails'
import { actorOf } from '#tests/support/people'
import { overrideSettings } from '#tests/support/override_settings'
import type { DomainInfo } from '#packages/mail-service/control/contract'
import { Secret } from '@adonisjs/core/helpers'
import app from '@adonisjs/core/services/app'
import { randomUUID } from 'node:crypto'

let running: Promise<FakeMailService> | undefined

/**
 * Starts a fake mail service on the first call. Later calls return the same one. It stops with this
 * process.
 */
export function startSharedMailService(): Promise<FakeMailService> {
  return (running ??= start())
}

async function start(): Promise<FakeMailService> {
  const service = await startFakeMailService()
  overrideSettings({ MAIL_CONTROL_URL: service.url, MAIL_CONTROL_KEY: new Secret(service.key) })
  app.terminating(() => service.stop())
  return service
}

export const freshAddress = (domain = 'example.com') => `shop-${randomUUID().slice(0, 8)}@${domain}`
export const freshDomain = () => `shop-${randomUUID().slice(0, 8)}.example.com`

/** Returns the token in the newest verification link that was emailed to an address. */
export async function linkSentTo(email: string): Promise<string> {
  const mails = await listMailsTo(email)
  const token = mails
    .map(({ text }) => /\/email\/verify\/([\w-]{43})/.exec(text)?.[1])
    .find(Boolean)
  if (!token) throw new Error(`No link was sent to ${email}`)
  return token
}

export async function pendingSender(customer: Person, email = freshAddress()): Promise<Sender> {
  await startSharedMailService()
  return addSender(await actorOf(customer), email)
}

export async function makeSender(customer: Person, email = freshAddress()): Promise<Sender> {
  await pendingSender(customer, email)
  return verifySenderByLink(await linkSentTo(email), { actor: null })
}

export async function makeDomain(customer: Person, domain = freshDomain()): Promise<MailDomain> {
  await startSharedMailService()
  return addDomain(await actorOf(customer), domain)
}

/** Publishes the DNS records that a domain needs. Omits records with a purpose in `leftOut`. */
export function publish(info: DomainInfo, leftOut: string[] = []): void {
  const names = new Map<string, { TXT: string[]; MX: string[]; CNAME?: string }>()
  for (const { purpose, type, name, value } of listExpectedDnsRecords(info)) {
    const known = names.get(name) ?? { TXT: [], MX: [] }
    names.set(name, known)
    if (leftOut.includes(purpose)) continue
    if (type === 'CNAME') known.CNAME = value
    else known[type].push(value)
  }
  for (const [name, records] of names) setDnsRecords(name, records)
}
