/** To the sandbox: a `StartRequest`. Back: empty, when the sandbox is running. */
export const START_FRAME = 'o'
/** To the sandbox: standard input. Back: standard output. */
export const DATA_FRAME = 'd'
export const STDERR_FRAME = 'r'
/** To the sandbox: end of standard input. Back: the program's `ExitStatus`. */
export const END_FRAME = 'e'

export interface StartRequest {
  argv: string[]
  env: Record<string, string>
  timeoutMs?: number
}
