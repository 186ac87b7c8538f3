/** A `StartRequest` to the sandbox. The empty reply means that the sandbox is running. */
export const START_FRAME = 'o'
/** Standard input to the sandbox, or standard output from it. */
export const DATA_FRAME = 'd'
export const STDERR_FRAME = 'r'
/** End of standard input to the sandbox, or the program's `ExitStatus` from it. */
export const END_FRAME = 'e'

export interface StartRequest {
  argv: string[]
  env: Record<string, string>
  timeoutMs?: number
}
