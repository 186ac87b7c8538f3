/**
 * Runs a root shell on this machine for one client. File descriptor 0 is the connection to the client
 * (cli/host_shell_socket.ts).
 */
import { Socket } from 'node:net'
import { serveShell } from '../packages/machine/local/socket_shell.js'

await serveShell(new Socket({ fd: 0 }))
process.exit()
