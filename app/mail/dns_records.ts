import type { DomainInfo, DomainRecord } from '#packages/mail-service/control/contract'
import { lookUpRecords } from '#packages/edge/main'

/**
 * `wrong`: records exist, but with other values, or too many of them. `unknown`: the look-up
 * failed.
 */
export type DnsRecordState = 'found' | 'wrong' | 'missing' | 'unknown'

export interface DnsRecordCheck extends DomainRecord {
  state: DnsRecordState
  found: string[]
  /**
   * Change that the customer must make. Null if none is needed, or if the expected and the found values show
   * it.
   */
  advice: string | null
  /** True: the domain cannot become active without this record. */
  needed: boolean
}

type RecordCheck = Pick<DnsRecordCheck, 'state' | 'found' | 'advice'>

export function checkDnsRecords(info: DomainInfo, servers: string[]): Promise<DnsRecordCheck[]> {
  return Promise.all(
    listExpectedDnsRecords(info).map(async (record) => {
      const { values, silent } = await lookUpRecords(record.type, record.name, servers)
      const needed = isRecordRequired(record, info)
      if (silent) return { ...record, needed, state: 'unknown' as const, found: [], advice: null }
      return { ...record, needed, ...checkRecord(record, values) }
    })
  )
}

/**
 * Lists the records that the customer is to publish, including the DKIM records of the active and
 * the next key.
 */
export function listExpectedDnsRecords({ domain, records, keys }: DomainInfo): DomainRecord[] {
  const dkim = keys
    .filter(({ state }) => state !== 'retired')
    .map(({ selector, record }) => ({
      purpose: 'dkim' as const,
      type: 'TXT' as const,
      name: `${selector}._domainkey.${domain}`,
      value: record,
    }))
  const others = records.filter(({ purpose }) => purpose !== 'dkim')
  return [...dkim, ...others]
}

/** DMARC is only advised, and the next DKIM key need not be published yet. */
export function isRecordRequired(
  { purpose, name }: Pick<DomainRecord, 'purpose' | 'name'>,
  { keys }: Pick<DomainInfo, 'keys'>
): boolean {
  if (purpose === 'dmarc') return false
  if (purpose !== 'dkim') return true
  return keys.some(({ selector, state }) => state === 'active' && name.startsWith(`${selector}.`))
}

function checkRecord(record: DomainRecord, values: string[]): RecordCheck {
  if (record.purpose === 'dmarc') return checkDmarc(values)
  if (record.purpose === 'dkim') return checkDkim(record, values)
  if (record.type === 'TXT') return checkSpf(record, values)
  return checkHostRecord(record, values)
}

const none: RecordCheck = { state: 'missing', found: [], advice: null }
const startsWith = (begin: string) => (value: string) =>
  value.trim().toLowerCase().startsWith(begin)

/** Accepts any policy (RFC 7489, section 6.3). */
function checkDmarc(values: string[]): RecordCheck {
  const policies = values.filter(startsWith('v=dmarc1'))
  if (policies.length === 0) return none
  if (policies.length === 1) return { state: 'found', found: policies, advice: null }
  return {
    state: 'wrong',
    found: policies,
    advice: 'There is more than one DMARC record, so none is valid. Keep only one.',
  }
}

/**
 * Compares only the key. Accepts tags in any order and white space in the key (RFC 6376, section
 * 3.6.1).
 */
function checkDkim({ value }: DomainRecord, values: string[]): RecordCheck {
  const key = (text: string) => {
    const tags = text.replace(/\s+/g, '').split(';')
    return tags.find((tag) => tag.startsWith('p='))?.slice('p='.length) ?? ''
  }
  if (values.length === 0) return none
  if (values.some((text) => key(text) === key(value))) {
    return { state: 'found', found: values, advice: null }
  }
  const advice = values.some((text) => key(value).startsWith(key(text)) && key(text))
    ? 'The key in DNS is incomplete. Some DNS providers accept it only in parts of 255 characters, each in quotes.'
    : null
  return { state: 'wrong', found: values, advice }
}

/**
 * Accepts exactly one record, if it contains all our mechanisms (RFC 7208, sections 3.2 and 4.5).
 */
function checkSpf({ value }: DomainRecord, values: string[]): RecordCheck {
  const policies = values.filter(startsWith('v=spf1'))
  if (policies.length === 0) return none
  if (policies.length > 1) {
    return {
      state: 'wrong',
      found: policies,
      advice: 'There is more than one SPF record, so none is valid. Merge them into one record.',
    }
  }
  const terms = policies[0].toLowerCase().split(/\s+/)
  const wanted = value.toLowerCase().split(/\s+/).slice(1).filter(isMechanism)
  const missing = wanted.filter((term) => !terms.includes(term))
  if (missing.length === 0) return { state: 'found', found: policies, advice: null }
  return {
    state: 'wrong',
    found: policies,
    advice: `Add ${missing.join(' ')} to the existing record, before its "all".`,
  }
}

const isMechanism = (term: string) => !/^[-+~?]?all$/.test(term)

/** The record may point only to our host. The priority of an MX record does not matter. */
function checkHostRecord({ type, value }: DomainRecord, values: string[]): RecordCheck {
  if (values.length === 0) return none
  const host = (text: string) => text.split(/\s+/).at(-1)!.toLowerCase().replace(/\.$/, '')
  const right = values.filter((text) => host(text) === host(value))
  if (right.length === values.length) return { state: 'found', found: values, advice: null }
  const advice =
    type === 'MX' && right.length > 0 ? 'There are also other MX records. Remove them.' : null
  return { state: 'wrong', found: values, advice }
}
