/**
 * Attacks the bridge's DHCP server. Runs as root inside an instance: `node attack.mjs BRIDGE`. Prints as JSON every
 * address that it obtained, grouped by the kind of request.
 */
export const DHCP_ATTACK_PROGRAM = `import { createSocket } from 'node:dgram'
import { networkInterfaces } from 'node:os'

const [DISCOVER, OFFER, REQUEST, DECLINE, ACK] = [1, 2, 3, 4, 5]
const bridge = process.argv[2]
const own = networkInterfaces().eth0.find(({ family }) => family === 'IPv4')
const odd = (last) => own.address.replace(/\\d+$/, String(last))
const answers = new Map()
const socket = createSocket({ type: 'udp4', reuseAddr: true })
socket.on('message', (packet) => answers.get(packet.readUInt32BE(4))?.(packet))
await new Promise((resolve) => socket.bind(68, '0.0.0.0', resolve))
socket.setBroadcast(true)

const numbers = (text, mark, radix) => Buffer.from(text.split(mark).map((part) => parseInt(part, radix)))
const address = (text) => numbers(text, '.', 10)

function typeOf(packet) {
  for (let at = 240; at < packet.length; at += 2 + packet[at + 1]) if (packet[at] === 53) return packet[at + 2]
}

async function ask(type, hardware, { wanted, client, server } = {}) {
  const head = Buffer.alloc(240)
  const id = Math.floor(Math.random() * 2 ** 32)
  head.set([1, 1, 6])
  head.writeUInt32BE(id, 4)
  head.writeUInt16BE(0x8000, 10)
  numbers(hardware, ':', 16).copy(head, 28)
  head.writeUInt32BE(0x63825363, 236)
  const options = [[53, Buffer.from([type])]]
  if (client) options.push([61, Buffer.from(client)])
  if (wanted) options.push([50, address(wanted)])
  if (server) options.push([54, address(server)])
  const parts = options.map(([code, value]) => Buffer.from([code, value.length, ...value]))
  const answer = new Promise((resolve) => answers.set(id, resolve))
  socket.send(Buffer.concat([head, ...parts, Buffer.from([255]), Buffer.alloc(60)]), 67, '255.255.255.255')
  const packet = await Promise.race([answer, new Promise((resolve) => setTimeout(resolve, 3000))])
  return packet && { type: typeOf(packet), address: [...packet.subarray(16, 20)].join('.') }
}

/** The address that was really given, or null. */
async function lease(hardware, more = {}) {
  const offer = await ask(DISCOVER, hardware, more)
  if (offer?.type !== OFFER) return null
  const end = await ask(REQUEST, hardware, { ...more, wanted: offer.address, server: bridge })
  return end?.type === ACK ? end.address : null
}

async function request(hardware, wanted) {
  const end = await ask(REQUEST, hardware, { wanted })
  return end?.type === ACK ? end.address : null
}

const invented = (number) => '02:00:00:00:00:' + number.toString(16).padStart(2, '0')
const many = Array.from({ length: 20 }, (_, index) => invented(index + 1))
const given = {
  invented: await Promise.all(many.map((hardware) => lease(hardware))),
  wished: [await lease(invented(50), { wanted: odd(77) }), await request(invented(51), odd(78))],
  clients: await Promise.all(['one', 'two'].map((client) => lease(own.mac, { client }))),
  other: [await request(own.mac, odd(79))],
}
await ask(DECLINE, own.mac, { wanted: own.address, server: bridge })
given.declined = [await lease(own.mac, { wanted: odd(80) })]
console.log(JSON.stringify({ own: own.address, given }))
process.exit(0)
`
