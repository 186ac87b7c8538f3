/**
 * Kind of the frame with a `StartRequest`, sent to the sandbox. Before it starts the program, the sandbox replies with
 * an empty frame of the same kind.
 */
export const START_FRAME = 'o'
/** Kind of the frames with data: standard input to the sandbox, and standard output from it. */
export const DATA_FRAME = 'd'
export const STDERR_FRAME = 'r'
/**
 * Kind of the last frame in each direction. To the sandbox: ends standard input. From the sandbox: contains the
 * program's `ExitStatus`.
 */
export const END_FRAME = 'e'

export interface StartRequest {
  argv: string[]
  env: Record<string, string>
  timeoutMs?: number
}
