/** Kinds of frames between a process and a program that runs for it in a sandbox. */
/** To the sandbox: a `StartRequest`. Back: empty, the sandbox is up. */
export const START_FRAME = 'o'
/** To the sandbox: standard input. Back: standard output. */
export const DATA_FRAME = 'd'
export const STDERR_FRAME = 'r'
/** To the sandbox: end of standard input. Back: the `ExitStatus` of the program. */
export const END_FRAME = 'e'

export interface StartRequest {
  argv: string[]
  env: Record<string, string>
  timeoutMs?: number
}
