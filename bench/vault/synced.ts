/**
 * Writes files and syncs each of them to disk, as fast as possible. Prints the number of files per second. Usage:
 * `synced.ts FOLDER BYTES CONCURRENCY MILLISECONDS`.
 */
import { open } from 'node:fs/promises'
import { join } from 'node:path'

const [folder, bytes, atOnce, duration] = process.argv.slice(2)
const body = Buffer.alloc(Number(bytes), 'x')
const started = performance.now()
const until = started + Number(duration)
let written = 0

async function write() {
  while (performance.now() < until) {
    const file = await open(join(folder!, `f${written++}`), 'w')
    await file.write(body)
    await file.sync()
    await file.close()
  }
}

await Promise.all(Array.from({ length: Number(atOnce) }, write))
process.stdout.write(`${(written / (performance.now() - started)) * 1000}\n`)
