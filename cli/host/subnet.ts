import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'

/** IPv4 addresses as numbers. The range includes both. */
interface Range {
  first: number
  last: number
}

/** Unique for the home, with at most 15 characters (IFNAMSIZ). */
export function bridgeName(home: string): string {
  return `berth${digest(home).subarray(0, 4).toString('hex')}`
}

/**
 * Chooses a /24 network in 10.0.0.0/8 that overlaps none of the routes. Returns its gateway with the prefix length,
 * such as `10.87.12.1/24`. For the same home, always tries the same network first.
 * @throws Error if no such network is free
 */
export function chooseFreeSubnet(home: string, routes: string[]): string {
  const taken = routes.map(rangeOf)
  const seed = digest(home).readUInt16BE(8)
  for (let step = 0; step < 65_536; step++) {
    const number = (seed + step * 257) % 65_536
    const [second, third] = [number >> 8, number & 255]
    if (second === 0 || second === 255) continue
    const gateway = `10.${second}.${third}.1/24`
    const wanted = rangeOf(gateway)
    if (taken.every((range) => range.last < wanted.first || range.first > wanted.last))
      return gateway
  }
  throw new Error('There is no free private network for the instances')
}

/** As CIDR, without the default route. */
export async function readLocalRoutes(): Promise<string[]> {
  const text = await readFile('/proc/net/route', 'utf8')
  return text
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const fields = line.split('\t')
      if (fields.length < 8) return []
      const bits = fromLittleEndian(fields[7]!).toString(2).replace(/0+$/, '').length
      const mask = fromLittleEndian(fields[7]!)
      return mask === 0 ? [] : [`${dotted(fromLittleEndian(fields[1]!))}/${bits}`]
    })
}

function rangeOf(cidr: string): Range {
  const [address, length] = cidr.split('/') as [string, string]
  const number = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
  const size = 2 ** (32 - Number(length))
  const first = Math.floor(number / size) * size
  return { first, last: first + size - 1 }
}

function fromLittleEndian(hex: string): number {
  return Buffer.from(hex, 'hex').readUInt32LE(0)
}

function dotted(number: number): string {
  return [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join('.')
}

function digest(home: string): Buffer {
  return createHash('sha256').update(home).digest()
}
