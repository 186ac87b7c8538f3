/** Opens and closes the requested number of SSH connections, and prints how many of them succeeded. */
import { connectSsh, type SshTarget } from '../main.js'

const target = JSON.parse(process.env.SSH_TARGET!) as SshTarget
const wanted = Number(process.argv[2])
let answered = 0

async function lane(count: number): Promise<void> {
  for (let made = 0; made < count; made++) {
    const machine = await connectSsh(target)
    const { stdout } = await machine.exec(['echo', 'here'])
    if (stdout.toString() === 'here\n') answered++
    await machine.close()
    globalThis.gc?.()
  }
}

// By default, sshd starts to refuse connections while ten are unauthenticated (MaxStartups).
await Promise.all(Array.from({ length: 5 }, () => lane(wanted / 5)))
process.stdout.write(`${answered}\n`)
process.exit()
