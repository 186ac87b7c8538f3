import { execFile } from 'node:child_process'
import { forEachLine } from '../../packages/machine/line_splitter.ts'

/** Tells whoever set something up what is being done, one line at a time. */
export type LineReporter = (line: string) => void

export interface RunForOutputOptions {
  env?: NodeJS.ProcessEnv
  cwd?: string
  /** seconds; default 600 */
  timeout?: number
  input?: string
  /** Called with each line that the program writes. */
  onLine?: (line: string) => void
}

/** Runs a program as an argument array; resolves to its standard output. */
export function runForOutput(
  file: string,
  args: string[],
  options: RunForOutputOptions = {}
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      file,
      args,
      {
        env: options.env ?? process.env,
        cwd: options.cwd,
        timeout: (options.timeout ?? 600) * 1000,
        maxBuffer: 64 * 1024 * 1024,
      },
      (error, stdout, stderr) => {
        if (!error) return resolve(stdout)
        const output = (stderr.trim() || stdout.trim() || error.message)
          .split('\n')
          .slice(-5)
          .join('\n')
        reject(new Error(`${file} failed: ${output}`, { cause: error }))
      }
    )
    if (options.onLine) {
      forEachLine(child.stdout!, options.onLine).catch(reject)
      forEachLine(child.stderr!, options.onLine).catch(reject)
    }
    // A program that does not read its input is no error here.
    child.stdin?.on('error', () => {})
    child.stdin?.end(options.input)
  })
}
