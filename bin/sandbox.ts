/** Runs one program for the other end of descriptor 0, in the sandbox that it is in (cli/sandbox_door.ts). */
import { Socket } from 'node:net'
import { serveSandboxed } from '../packages/machine/sandbox/serve.js'

await serveSandboxed(new Socket({ fd: 0 }))
process.exit()
