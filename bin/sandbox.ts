/**
 * Runs inside a sandbox, and starts one program there. The request arrives on file descriptor 0
 * (cli/sandbox_launcher.ts).
 */
import { Socket } from 'node:net'
import { serveSandboxConnection } from '../packages/machine/sandbox/serve.js'

await serveSandboxConnection(new Socket({ fd: 0 }))
process.exit()
