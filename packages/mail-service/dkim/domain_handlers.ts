import type { ServiceDatabase } from '../../service/database.js'
import { ControlError } from '../../service/control_client.js'
import type { DomainInfo, DomainRecord } from '../control/contract.js'
import { isNotFoundError, type DnsResolver } from '../delivery/dns.js'
import type { OutgoingHandlers } from '../outgoing_mail_types.js'
import type { DkimKey } from '../types.js'
import { bounceDomainOf, type DkimKeys, type StoredDomain } from './keys.js'

type Handlers = Pick<
  OutgoingHandlers,
  'makeDomain' | 'domain' | 'changeDomain' | 'nextDkim' | 'switchDkim'
>

export function domainHandlers(deps: {
  database: ServiceDatabase
  keys: DkimKeys
  names: DnsResolver
  /** MAIL_HOST, the public host name of the service. */
  host: string | undefined
}): Handlers {
  const { database, keys, names, host } = deps

  async function stored(id: number): Promise<StoredDomain> {
    const row = await database.row<StoredDomain>('select * from mail.domains where id = $1', [id])
    if (!row || id === 0)
      throw new ControlError(404, 'no_such_domain', 'This domain does not exist.')
    return row
  }

  async function info(id: number): Promise<DomainInfo> {
    const { domain, state } = await stored(id)
    const listed = await keys.list(id)
    return { id, domain, state, records: requiredDnsRecords(domain, listed, host), keys: listed }
  }

  return {
    async makeDomain({ id, accountId, domain }) {
      await database.rows(
        `insert into mail.domains (id, account_id, domain) values ($1, $2, $3) on conflict (id) do nothing`,
        [id, accountId, domain.toLowerCase()]
      )
      const listed = await keys.list(id)
      if (!listed.some((key) => key.state === 'active')) await keys.add(id, 'active')
      return info(id)
    },
    domain: ({ id }) => info(id),
    async changeDomain({ id, state }) {
      await stored(id)
      await database
        .rows('update mail.domains set state = $2 where id = $1', [id, state])
        .catch((error: unknown) => {
          if ((error as { code?: string }).code !== '23505') throw error
          throw new ControlError(409, 'domain_taken', 'Another account sends from this domain.')
        })
      keys.refresh()
      return info(id)
    },
    async nextDkim({ id }) {
      await stored(id)
      const listed = await keys.list(id)
      if (!listed.some((key) => key.state === 'next')) await keys.add(id, 'next')
      return info(id)
    },
    async switchDkim({ id }) {
      const { domain } = await stored(id)
      const next = (await keys.list(id)).find((key) => key.state === 'next')
      if (!next) return info(id)
      const published = await isPublished(names, domain, next)
      if (!published) {
        throw new ControlError(409, 'not_published', `DNS has no record for ${next.selector} yet.`)
      }
      await keys.switch(id)
      return info(id)
    },
  }
}

/**
 * Returns the DNS records that the domain's owner must publish. Includes those of retired keys, because receivers may
 * still verify mail that these keys have signed.
 */
export function requiredDnsRecords(
  domain: string,
  keys: DkimKey[],
  host: string | undefined
): DomainRecord[] {
  const returns = bounceDomainOf(domain)
  return [
    ...keys.map((key) => dkimRecord(domain, key)),
    ...(host
      ? [
          // SPF checks the domain of the envelope sender (RFC 7208, 2.4). DMARC accepts it, because it is a subdomain
          // of the From domain (RFC 7489, 3.1.2).
          record('spf', 'TXT', returns, `v=spf1 a:${host} ~all`),
          record('return_path', 'MX', returns, `10 ${host}`),
        ]
      : []),
    record('dmarc', 'TXT', `_dmarc.${domain}`, 'v=DMARC1; p=none'),
  ]
}

function record(
  purpose: DomainRecord['purpose'],
  type: DomainRecord['type'],
  name: string,
  value: string
): DomainRecord {
  return { purpose, type, name, value }
}

function dkimRecord(domain: string, key: DkimKey): DomainRecord {
  return record('dkim', 'TXT', `${key.selector}._domainkey.${domain}`, key.record)
}

/** Compares only `p=`, because the record's format may differ. */
async function isPublished(names: DnsResolver, domain: string, key: DkimKey): Promise<boolean> {
  try {
    const texts = await names.txt(dkimRecord(domain, key).name)
    return texts.some((text) => publicKeyOf(text) === publicKeyOf(key.record))
  } catch (error) {
    if (isNotFoundError(error)) return false
    throw new ControlError(409, 'no_answer', 'The name servers of the domain do not respond.')
  }
}

function publicKeyOf(record: string): string | undefined {
  return /(?:^|;)\s*p=([^;]*)/.exec(record)?.[1]?.replaceAll(/\s/g, '')
}
