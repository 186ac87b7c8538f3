/** Serves a root shell on this machine. The client's connection is file descriptor 0 (cli/host_shell_socket.ts). */
import { Socket } from 'node:net'
import { serveShell } from '../packages/machine/local/socket_shell.js'

await serveShell(new Socket({ fd: 0 }))
process.exit()
