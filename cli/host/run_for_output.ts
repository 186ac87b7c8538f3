import { execFile } from 'node:child_process'
import { forEachLine } from '../../packages/machine/line_splitter.ts'

export type LineReporter = (line: string) => void

export interface RunForOutputOptions {
  env?: NodeJS.ProcessEnv
  cwd?: string
  /** Seconds. Default 600. */
  timeout?: number
  input?: string
  onLine?: (line: string) => void
}

/**
 * Returns the standard output.
 * @throws Error with the program's last output lines
 */
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
    // Ignores the error if the program exits without reading its input.
    child.stdin?.on('error', () => {})
    child.stdin?.end(options.input)
  })
}
