/** Backs up for whoever is at the other end of descriptor 0 (cli/backup/socket.ts). */
import { Socket } from 'node:net'
import { serveBackup } from '../cli/backup/program.js'

await serveBackup(new Socket({ fd: 0 }))
process.exit()
