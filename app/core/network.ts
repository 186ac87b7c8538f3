/** An IPv4 address, or the /64 network of an IPv6 one: one subscriber has a whole one. */
export function networkOf(ip: string): string {
  const plain = ip.replace(/^::ffff:(?=\d+\.)/i, '')
  if (!plain.includes(':')) return plain
  const [head, tail] = plain.split('::')
  const left = head ? head.split(':') : []
  const right = tail ? tail.split(':') : []
  const middle = plain.includes('::') ? Array(8 - left.length - right.length).fill('0') : []
  return [...left, ...middle, ...right].slice(0, 4).join(':')
}
