// Runs a dump through the filter into the mariadb client. The content of the file decides its format.
//
// Arguments: file descriptor, size in bytes, filter options as JSON, then the client command. Prints progress as
// JSON lines (`read` of `size` bytes). The last line holds the result. If the descriptor is not 0, the script exits
// when its standard input closes.
import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { once } from 'node:events'
import { createGunzip } from 'node:zlib'
const [descriptor, bytes, options, ...client] = process.argv.slice(1)
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
async function seekable(stream) {
  try {
    fs.accessSync('/proc/self/fd/' + fd, fs.constants.R_OK)
    if (fs.fstatSync(fd).isFile()) return fd
  } catch {}
  const folder = fs.mkdtempSync('/var/tmp/berth-import-')
  const copy = fs.openSync(folder + '/zip', 'wx+', 0o600)
  fs.rmSync(folder, { recursive: true })
  await pipeline(stream, fs.createWriteStream('', { fd: copy, autoClose: false }))
  return copy
}
// Returns the first bytes of a stream, and a stream of all its bytes.
async function peek(stream) {
  const chunks = stream[Symbol.asyncIterator]()
  let head = Buffer.alloc(0)
  let last = {}
  while (head.length < FORMAT_HEAD_BYTES && !(last = await chunks.next()).done)
    head = Buffer.concat([head, last.value])
  async function* all() {
    if (head.length) yield head
    if (!last.done) yield* { [Symbol.asyncIterator]: () => chunks }
  }
  return { head, stream: Readable.from(all(), { highWaterMark: 1 }) }
}
// Files that file managers add to zip files.
const ADDED_FILES = ['__MACOSX/*', '*.DS_Store', '._*', '*/._*', '*Thumbs.db', '*desktop.ini']
const isAdded = (name) => /^__MACOSX\/|\.DS_Store$|(?:^|\/)\._|Thumbs\.db$|desktop\.ini$/.test(name)
async function unzipped(stream, state) {
  const stdio = ['ignore', 'pipe', 'ignore', await seekable(stream)]
  const file = '/proc/self/fd/3'
  const list = spawnSync('unzip', ['-Z1', file], { encoding: 'utf8', maxBuffer: 1 << 20, stdio })
  const names = (list.stdout || '').split('\n').filter((name) => name && !name.endsWith('/'))
  const own = names.filter((name) => !isAdded(name))
  if (list.error) throw new Error('unzip is missing')
  if (own.length !== 1 || !/\.sql$/i.test(own[0])) throw new Error('not one')
  const others = names.length > 1 ? ['-x', ...ADDED_FILES] : []
  const unzip = spawn('unzip', ['-p', file, ...others], { stdio })
  unzip.on('close', (code) => {
    if (code) state.trouble = 'damaged'
    state.closed = true
  })
  state.process = unzip
  state.read = 0
  state.count = (bytes) => {
    state.read = Math.min(state.size, state.read + bytes / 5)
  }
  return unzip.stdout
}
function gunzipped(stream) {
  const gunzip = createGunzip({ chunkSize: 1 << 18 })
  stream.on('error', (error) => gunzip.destroy(error))
  return stream.pipe(gunzip)
}
const unpackTrouble = ({ code }) =>
  code === 'Z_BUF_ERROR' ? 'cut' : /^Z_/.test(code) ? 'damaged' : undefined
async function open() {
  const state = { size: Number(bytes), read: 0, trouble: '', count: () => {} }
  async function* counted(stream) {
    for await (const chunk of stream) {
      state.read += chunk.length
      yield chunk
    }
  }
  const raw = fs.createReadStream('', { fd, highWaterMark: 1 << 20, autoClose: false })
  state.stream = Readable.from(counted(raw), { highWaterMark: 1 })
  // A browser or proxy may compress a file that is compressed already.
  for (let layers = 0; ; layers++) {
    const { head, stream } = await peek(state.stream)
    state.stream = stream
    const { format, problem } = detectDumpFormat(head)
    if (problem) throw Object.assign(new Error('wrong format'), { problem })
    if (format === 'sql') return state
    if (layers === 2 || (format === 'zip' && layers > 0)) throw new Error('packed twice')
    state.stream = format === 'gzip' ? gunzipped(stream) : await unzipped(stream, state)
  }
}
;(async () => {
  const filterOptions = JSON.parse(options)
  const filter = new SqlFilter(new DatabaseNames(filterOptions), filterOptions)
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
    source.trouble = unpackTrouble(error) ?? 'damaged'
  }
  if (source.process) source.process.kill('SIGKILL')
  if (!source.trouble && status === null && !filter.report.rejection) await give(filter.end())
  if (source.trouble || filter.report.rejection) child.kill('SIGKILL')
  else child.stdin.end()
  await ended
  tell({ end: { status, said, trouble: source.trouble, report: filter.report } })
  process.stdout.end(() => process.exit(0))
})().catch((error) => {
  const trouble = unpackTrouble(error) ?? error.message
  tell({ end: { status: -1, said: error.problem ?? '', trouble, report: null } })
  process.exitCode = 3
  child.kill('SIGKILL')
  process.stdout.end(() => process.exit(3))
})
