import { type Answer, decode, encode, type Question } from 'dns-packet'
import { createSocket, type RemoteInfo } from 'node:dgram'
import { once } from 'node:events'

export interface DnsRecords {
  A?: string[]
  AAAA?: string[]
  CNAME?: string
  TXT?: string[]
  /** Priority and host name, for example `10 mail.example.com`. */
  MX?: string[]
}

const zone = new Map<string, DnsRecords>()
const silentNames = new Set<string>()

/** Sets the records of a name. `null`: the name does not exist (NXDOMAIN). */
export function setDnsRecords(name: string, records: DnsRecords | null): void {
  silentNames.delete(name)
  if (records) zone.set(name, records)
  else zone.delete(name)
}

export function silenceDns(name: string): void {
  silentNames.add(name)
}

/** Starts a DNS server. It knows only the names that `setDnsRecords` has set. */
export async function startDnsServer(): Promise<{ address: string; stop: () => void }> {
  const socket = createSocket('udp4')
  socket.on('message', (message: Buffer, from: RemoteInfo) => {
    const { id, questions = [] } = decode(message)
    const [question] = questions
    if (!question || silentNames.has(question.name.toLowerCase())) return
    const answers = answersTo(question)
    const RECURSION = 0x180
    const NO_SUCH_NAME = 3
    const flags = RECURSION | (answers ? 0 : NO_SUCH_NAME)
    const reply = encode({ type: 'response', id, flags, questions, answers: answers ?? [] })
    socket.send(reply, from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return { address: `127.0.0.1:${socket.address().port}`, stop: () => socket.close() }
}

/** Returns the records; `null` if the name does not exist. */
function answersTo({ name, type }: Pick<Question, 'name' | 'type'>): Answer[] | null {
  const records = zone.get(name.toLowerCase())
  if (!records) return null
  const { CNAME: alias } = records
  if (alias) {
    const own: Answer = { type: 'CNAME', name, ttl: 0, data: alias }
    return type === 'CNAME' ? [own] : [own, ...(answersTo({ name: alias, type }) ?? [])]
  }
  if (type === 'A' || type === 'AAAA') {
    return (records[type] ?? []).map((data) => ({ type, name, ttl: 0, data }))
  }
  // A string in a TXT record has at most 255 bytes, so longer texts are split (RFC 1035, 3.3.14).
  if (type === 'TXT') {
    return (records.TXT ?? []).map((text) => {
      return { type, name, ttl: 0, data: text.match(/.{1,255}/gs) ?? [''] }
    })
  }
  if (type === 'MX') {
    return (records.MX ?? []).map((text) => {
      const [preference, exchange] = text.split(' ')
      return { type, name, ttl: 0, data: { preference: Number(preference), exchange } }
    })
  }
  return []
}
