/** Runs one backup job. The client's connection is file descriptor 0 (cli/backup/socket.ts). */
import { Socket } from 'node:net'
import { serveBackupConnection } from '../cli/backup/serve_connection.js'

await serveBackupConnection(new Socket({ fd: 0 }))
process.exit()
