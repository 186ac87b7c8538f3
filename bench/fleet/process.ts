import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { buildFolder } from '../../cli/build.js'
import { installRoot } from '../../cli/paths.js'
import { processSpec } from '../../cli/roles.js'

interface Answer {
  id?: number
  result?: unknown
  error?: string
}

/** Runs the tasks in `console.ts` in a separate process from the build, with the limits and environment of a worker. */
export class FleetConsole {
  #count = 0
  readonly #child: ChildProcess

  private constructor(child: ChildProcess) {
    this.#child = child
  }

  static async start(env: NodeJS.ProcessEnv): Promise<FleetConsole> {
    const worker = processSpec('worker', buildFolder, env)
    const [program, ...argv] = worker.argv.slice(0, -2)
    const child = spawn(program, [...argv, join(buildFolder, 'bench/fleet/console.js')], {
      cwd: installRoot,
      env: worker.env,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    const started = new FleetConsole(child)
    await started.ask('hello')
    return started
  }

  ask<Result>(what: string, given: object = {}): Promise<Result> {
    const id = ++this.#count
    return new Promise((resolve, reject) => {
      const hear = (answer: Answer) => {
        if (answer.id !== id) return
        this.#child.off('message', hear).off('exit', gone)
        if (answer.error === undefined) resolve(answer.result as Result)
        else reject(new Error(answer.error))
      }
      const gone = () => reject(new Error('The console of the bench ended'))
      this.#child.on('message', hear).once('exit', gone)
      this.#child.send({ id, what, given })
    })
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await ended
  }
}
