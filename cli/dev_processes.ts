import { watch } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { Supervisor, ProcessSpec } from './supervisor.js'

/** Changes are handled together after this time without a further one. */
const QUIET_MS = 50

/**
 * Node options with which a process records the files that it imports, and reloads controllers without a restart
 * (`hotHook` in package.json).
 */
export const hotReloadArgs = ['--import', import.meta.resolve('hot-hook/register')]

export function watchFolders(folders: string[], onChange: (files: string[]) => void): () => void {
  let changed = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  const watchers = folders.map((folder) =>
    watch(folder, { recursive: true }, (_event, file) => {
      if (!file || !/\.(ts|json|edge|sh|bash|php|pl|mjs)$/.test(file)) return
      changed.add(join(folder, file))
      clearTimeout(timer)
      timer = setTimeout(() => {
        const files = [...changed]
        changed = new Set()
        onChange(files)
      }, QUIET_MS)
    })
  )
  return () => {
    clearTimeout(timer)
    for (const watcher of watchers) watcher.close()
  }
}

interface DevProcessesOptions {
  supervisor: Supervisor
  report: (line: string) => void
  /** Address at which an error page is served after the web process has failed. */
  web: { host: string; port: number }
}

/**
 * Runs the processes during development. Restarts a process if a file that it has imported changes and cannot be
 * reloaded. Restarts a failed process after any change.
 */
export class DevProcesses {
  #options: DevProcessesOptions
  #failed = new Set<string>()
  #restarting = new Set<string>()
  #names = new Set<string>()
  #errorPage: Server | undefined
  #stopped = false

  constructor(options: DevProcessesOptions) {
    this.#options = options
  }

  async start(spec: ProcessSpec): Promise<void> {
    const { name } = spec
    this.#names.add(name)
    await this.#options.supervisor.start({
      name,
      argv: spec.argv,
      cwd: spec.cwd,
      env: { ...spec.env, HOT_HOOK_WATCH: 'false' },
      onMessage: (message) => {
        if (isFullReload(message)) void this.#restart(name)
      },
      onExit: (reason) => void this.#onExit(name, reason),
    })
  }

  hasFailed(name: string): boolean {
    return this.#failed.has(name)
  }

  /**
   * Sends the names of changed files to all running processes. Each process decides whether it has imported one of them
   * (`hot-hook`). Restarts failed processes.
   */
  onChange(files: string[]): void {
    for (const name of this.#names) {
      if (this.#failed.has(name)) void this.#restart(name)
      else {
        for (const path of files) {
          this.#options.supervisor.send(name, { type: 'hot-hook:file-changed', path })
        }
      }
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#closeErrorPage()
  }

  async #restart(name: string): Promise<void> {
    if (this.#restarting.has(name)) return
    this.#restarting.add(name)
    this.#failed.delete(name)
    if (name === 'web') await this.#closeErrorPage()
    this.#options.report(`${name.padEnd(8)} restarts after a change`)
    await this.#options.supervisor.restart(name)
    this.#restarting.delete(name)
  }

  async #onExit(name: string, reason: string): Promise<void> {
    this.#failed.add(name)
    this.#options.report(
      `${name.padEnd(8)} ended ${reason}. It starts again after the next change of a file`
    )
    if (name === 'web') await this.#showErrorPage()
  }

  async #showErrorPage(): Promise<void> {
    const lines = await this.#options.supervisor.words('web')
    // The web process may have been restarted or stopped meanwhile.
    if (this.#errorPage || this.#stopped || !this.#failed.has('web')) return
    const page = errorPage(lines.map((line) => stripVTControlCharacters(line)).join('\n'))
    const headers = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }
    const server = createServer((_request, response) => response.writeHead(503, headers).end(page))
    server.on('error', (error) =>
      this.#options.report(`The error page cannot be served: ${error.message}`)
    )
    this.#errorPage = server.listen(this.#options.web)
  }

  async #closeErrorPage(): Promise<void> {
    const server = this.#errorPage
    this.#errorPage = undefined
    if (!server) return
    const closed = new Promise((done) => server.close(done))
    server.closeAllConnections()
    await closed
  }
}

function isFullReload(message: unknown): boolean {
  return (message as { type?: string } | null)?.type === 'hot-hook:full-reload'
}

/** The page reloads itself when the web process runs again. */
function errorPage(output: string): string {
  const text = output.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<!DOCTYPE html>
<meta charset="utf-8">
<title>web does not start</title>
<body style="font: 15px/1.5 system-ui; margin: 40px; color-scheme: light dark">
<h1>web does not start</h1>
<p>Its last output follows. This page reloads when web runs again.</p>
<pre>${text}</pre>
<script>
setInterval(() => fetch('/health/live').then(({ ok }) => ok && location.reload(), () => {}), 500)
</script>
`
}
