import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { createGunzip } from 'node:zlib'

const run = promisify(execFile)

/** The user `nobody`, who owns the test repositories. */
export const UNPRIVILEGED_USER = { uid: 65534, gid: 65534 }

/** Runs git as the unprivileged user, with a fixed author. Returns git's output. */
export async function git(cwd: string, ...argv: string[]): Promise<string> {
  const { stdout } = await run('git', argv, {
    cwd,
    ...UNPRIVILEGED_USER,
    env: {
      PATH: process.env.PATH,
      GIT_AUTHOR_NAME: 'Ana',
      GIT_AUTHOR_EMAIL: 'ana@example.com',
      GIT_COMMITTER_NAME: 'Ana',
      GIT_COMMITTER_EMAIL: 'ana@example.com',
      GIT_CONFIG_NOSYSTEM: '1',
    },
  })
  return stdout
}

export interface GitServer {
  url: string
  asked: string[]
  /**
   * Called before each response. Returns true if it has sent the response itself, instead of the
   * server.
   */
  before: (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>
  close(): Promise<void>
}

/**
 * Starts an HTTP git server (`git http-backend`) on a free port. Repositories below `private/`
 * require user name and password.
 */
export async function startGitServer(
  folder: string,
  login: { username: string; password: string }
): Promise<GitServer> {
  const expected = `Basic ${Buffer.from(`${login.username}:${login.password}`).toString('base64')}`
  const server = createServer((request, response) => void serve(request, response))
  const state: GitServer = {
    url: '',
    asked: [],
    before: () => false,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }

  async function serve(request: IncomingMessage, response: ServerResponse) {
    state.asked.push(request.url!)
    if (await state.before(request, response)) return
    const { pathname, search } = new URL(request.url!, 'http://git.test')
    if (pathname.startsWith('/private/') && request.headers.authorization !== expected) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end()
      return
    }
    backend(request, response, folder, pathname, search.slice(1))
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return state
}

function backend(
  request: IncomingMessage,
  response: ServerResponse,
  folder: string,
  path: string,
  query: string
) {
  const child = spawn('git', ['http-backend'], {
    ...UNPRIVILEGED_USER,
    // Git starts in this folder, because the unprivileged user may not enter the folder in which the
    // tests run (for example /root).
    cwd: folder,
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: decodeURIComponent(path),
      QUERY_STRING: query,
      REQUEST_METHOD: request.method!,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      REMOTE_ADDR: '127.0.0.1',
    },
  })
  child.stdin.on('error', () => {})
  const packed = request.headers['content-encoding'] === 'gzip'
  if (packed) request.pipe(createGunzip()).pipe(child.stdin)
  else request.pipe(child.stdin)
  let head: Buffer | null = Buffer.alloc(0)
  child.stdout.on('data', (chunk: Buffer) => {
    if (!head) return void response.write(chunk)
    head = Buffer.concat([head, chunk])
    const end = head.indexOf('\r\n\r\n')
    if (end === -1) return
    const headers = head.subarray(0, end).toString().split('\r\n')
    let status = 200
    for (const line of headers) {
      const at = line.indexOf(':')
      const [name, value] = [line.slice(0, at), line.slice(at + 1).trim()]
      if (name === 'Status') status = Number.parseInt(value)
      else response.setHeader(name, value)
    }
    response.writeHead(status)
    response.write(head.subarray(end + 4))
    head = null
  })
  child.on('close', () => response.end())
  response.on('close', () => child.kill())
}
