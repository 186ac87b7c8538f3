/** Frame with a `StartRequest`, sent to the sandbox. The sandbox replies with an empty frame when it runs. */
export const START_FRAME = 'o'
/** Frame with standard input, sent to the sandbox, or with standard output, sent by it. */
export const DATA_FRAME = 'd'
export const STDERR_FRAME = 'r'
/** Frame that ends standard input, sent to the sandbox, or that contains the program's `ExitStatus`, sent by it. */
export const END_FRAME = 'e'

export interface StartRequest {
  argv: string[]
  env: Record<string, string>
  timeoutMs?: number
}
