// Runs a dump through the filter into the mariadb client.
//
// Arguments: file format (`sql`, `gz`, `zip`), file descriptor, size in bytes, filter options as JSON, then
// the client command. Prints progress as JSON lines (`read` of `size` bytes). The last line holds the
// result. If the descriptor is not 0, the script exits when its standard input closes.
import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { once } from 'node:events'
import { createGunzip } from 'node:zlib'
const [kind, descriptor, bytes, options, ...client] = process.argv.slice(1)
const fd = Number(descriptor)
const tell = (what) => process.stdout.write(JSON.stringify(what) + '\n')
// In binary mode the client starts no editor or pager. If it ever did, these programs do nothing.
const { PATH, LANG, MYSQL_PWD } = process.env
const env = {
  PATH,
  LANG,
  MYSQL_PWD,
  HOME: '/nonexistent',
  EDITOR: 'false',
  VISUAL: 'false',
  PAGER: 'false',
}
const child = spawn(client[0], client.slice(1), { stdio: ['pipe', 'ignore', 'pipe'], env })
if (fd !== 0)
  process.stdin.resume().on('close', () => {
    child.kill('SIGKILL')
    process.exit(4)
  })
// Returns a descriptor that unzip can seek in: the file itself, or an unlinked copy.
async function seekable() {
  try {
    fs.accessSync('/proc/self/fd/' + fd, fs.constants.R_OK)
    if (fs.fstatSync(fd).isFile()) return fd
  } catch {}
  const folder = fs.mkdtempSync('/var/tmp/berth-import-')
  const copy = fs.openSync(folder + '/zip', 'wx+', 0o600)
  fs.rmSync(folder, { recursive: true })
  await pipeline(
    fs.createReadStream('', { fd, autoClose: false }),
    fs.createWriteStream('', { fd: copy, autoClose: false })
  )
  return copy
}
async function open() {
  const size = Number(bytes)
  const state = { size, read: 0, trouble: '' }
  if (kind === 'zip') {
    const stdio = ['ignore', 'pipe', 'ignore', await seekable()]
    const file = '/proc/self/fd/3'
    const list = spawnSync('unzip', ['-Z1', file], { encoding: 'utf8', maxBuffer: 1 << 20, stdio })
    const names = (list.stdout || '').split('\n').filter((name) => name && !name.endsWith('/'))
    if (list.error) throw new Error('unzip is missing')
    if (names.length !== 1 || !/\.sql$/i.test(names[0])) throw new Error('not one')
    const unzip = spawn('unzip', ['-p', file], { stdio })
    unzip.on('close', (code) => {
      if (code) state.trouble = 'damaged'
      state.closed = true
    })
    state.process = unzip
    state.stream = unzip.stdout
    state.count = (bytes) => {
      state.read = Math.min(size, state.read + bytes / 5)
    }
    return state
  }
  const raw = fs.createReadStream('', { fd, highWaterMark: 1 << 20 })
  raw.on('data', (chunk) => {
    state.read += chunk.length
  })
  raw.pause()
  state.count = () => {}
  if (kind === 'sql') {
    state.stream = raw
    return state
  }
  const gunzip = createGunzip({ chunkSize: 1 << 18 })
  raw.on('error', (error) => gunzip.destroy(error))
  state.stream = raw.pipe(gunzip)
  return state
}
;(async () => {
  const filter = new SqlFilter(JSON.parse(options))
  let said = ''
  let status = null
  child.stdin.on('error', () => {})
  child.stderr.on('data', (chunk) => {
    if (said.length < 8000) said += chunk.toString('utf8').slice(0, 8000)
  })
  const ended = new Promise((resolve) => {
    child.on('error', (error) => {
      said += error.message
      resolve((status = -1))
    })
    child.on('close', (code, signal) => resolve((status = signal || code)))
  })
  const source = await open()
  const give = async (parts) => {
    child.stdin.cork()
    let free = true
    for (const part of parts) if (part.length) free = child.stdin.write(part)
    child.stdin.uncork()
    if (!free) await Promise.race([once(child.stdin, 'drain').catch(() => {}), ended])
  }
  let told = 0
  try {
    for await (const chunk of source.stream) {
      source.count(chunk.length)
      await give(filter.push(chunk))
      if (filter.report.rejection || status !== null) break
      if (Date.now() - told > 500) {
        told = Date.now()
        tell({ read: source.read, size: source.size })
      }
    }
    if (source.process && !source.closed && status === null && !filter.report.rejection)
      await once(source.process, 'close')
  } catch (error) {
    source.trouble = error.code === 'Z_BUF_ERROR' ? 'cut' : 'damaged'
  }
  if (source.process) source.process.kill('SIGKILL')
  if (!source.trouble && status === null && !filter.report.rejection) await give(filter.end())
  if (source.trouble || filter.report.rejection) child.kill('SIGKILL')
  else child.stdin.end()
  await ended
  tell({ end: { status, said, trouble: source.trouble, report: filter.report } })
  process.stdout.end(() => process.exit(0))
})().catch((error) => {
  tell({ end: { status: -1, said: '', trouble: error.message, report: null } })
  process.exitCode = 3
  child.kill('SIGKILL')
  process.stdout.end(() => process.exit(3))
})
