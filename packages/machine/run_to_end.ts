import { once } from 'node:events'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { MachineError } from './errors.js'
import type { ExecOptions, ExecResult, RemoteProcess } from './types.js'

const DEFAULT_MAX_OUTPUT_BYTES = 16 * 1024 * 1024

export async function runToEnd(process: RemoteProcess, options: ExecOptions): Promise<ExecResult> {
  const limit = options.maxOutput ?? DEFAULT_MAX_OUTPUT_BYTES
  let size = 0
  let excess: MachineError | null = null
  const count = (bytes: number) => {
    size += bytes
    if (size <= limit || excess) return
    excess = new MachineError('too-much-output', `The command wrote more than ${limit} bytes`)
    process.kill('SIGKILL').catch(() => {})
  }
  const stdout = collect(process.stdout, count, () => excess !== null)
  const stderr = collect(process.stderr, count, () => excess !== null)
  // Prevents unhandled rejections: the code below first awaits the exit status, which may reject before these promises
  // are awaited.
  for (const output of [stdout, stderr]) output.catch(() => {})
  const fed = feed(process, options.stdin)
  const status = await process.exit
  await fed
  if (excess) throw excess
  return { ...status, stdout: await stdout, stderr: await stderr }
}

async function feed(process: RemoteProcess, input: ExecOptions['stdin']): Promise<void> {
  if (input instanceof Readable) {
    const ended = process.exit.then(
      () => input.destroy(),
      () => input.destroy()
    )
    // Ignores the error if a command ends before it has read all input.
    await Promise.race([pipeline(input, process.stdin).catch(() => {}), ended])
    return
  }
  process.stdin.on('error', () => {})
  process.stdin.end(input ?? '')
}

async function collect(
  stream: Readable,
  count: (bytes: number) => void,
  discard: () => boolean
): Promise<Buffer> {
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer) => {
    count(chunk.length)
    if (!discard()) chunks.push(chunk)
    else chunks.length = 0
  })
  if (!stream.readableEnded) await once(stream, 'end')
  return Buffer.concat(chunks)
}
