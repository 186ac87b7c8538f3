/** Runs one backup job. File descriptor 0 is the connection to the client (cli/backup/socket.ts). */
import { Socket } from 'node:net'
import { serveBackupConnection } from '../cli/backup/serve_connection.js'

await serveBackupConnection(new Socket({ fd: 0 }))
process.exit()
