/** Runs a backup job for the client at descriptor 0 (cli/backup/socket.ts). */
import { Socket } from 'node:net'
import { serveBackupConnection } from '../cli/backup/serve_connection.js'

await serveBackupConnection(new Socket({ fd: 0 }))
process.exit()
