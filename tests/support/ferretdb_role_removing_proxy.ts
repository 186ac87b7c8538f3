import { BSON } from 'mongodb'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** Numbers of MongoDB's wire protocol: the code of OP_MSG, and the offsets of its first section's kind and document. */
const [MESSAGE, KIND, DOCUMENT] = [2013, 20, 21]
const CREATE_USER_COMMAND = Buffer.from('createUser\0')

/**
 * Starts a proxy that removes the roles from `createUser`, because FerretDB rejects users with roles. Users without
 * roles may do everything there. Only the fake MongoDB (fake_mongodb.ts) enforces roles.
 */
export async function startFerretdbRoleRemovingProxy(
  url: string
): Promise<{ url: string; stop(): Promise<void> }> {
  const { hostname, port } = new URL(url)
  const open = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    let waiting = Buffer.alloc(0)
    near.on('data', (chunk) => {
      waiting = Buffer.concat([waiting, chunk])
      while (waiting.length >= 4 && waiting.length >= waiting.readInt32LE(0)) {
        const length = waiting.readInt32LE(0)
        far.write(removeRoles(waiting.subarray(0, length)))
        waiting = waiting.subarray(length)
      }
    })
    far.pipe(near)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ]) {
      open.add(one)
      one.on('error', () => {})
      one.once('close', () => {
        open.delete(one)
        other.destroy()
      })
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const through = new URL(url)
  through.port = String((server.address() as AddressInfo).port)
  return {
    url: through.href,
    async stop() {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function removeRoles(message: Buffer): Buffer {
  const asked = message.subarray(DOCUMENT)
  const isOurs = message.readInt32LE(12) === MESSAGE && message[KIND] === 0
  if (!isOurs || !asked.subarray(5, 5 + CREATE_USER_COMMAND.length).equals(CREATE_USER_COMMAND))
    return message
  const document = BSON.deserialize(asked, { promoteValues: false })
  const made = BSON.serialize({ ...document, roles: [] })
  const head = Buffer.from(message.subarray(0, DOCUMENT))
  head.writeInt32LE(DOCUMENT + made.length, 0)
  return Buffer.concat([head, made])
}
