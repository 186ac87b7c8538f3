/** Kinds of frames between a process and a program that runs for it in a sandbox. */
/** A `StartRequest` on the way there, nothing on the way back: the sandbox is up. */
export const START = 'o'
/** Standard input on the way there, standard output on the way back. */
export const DATA = 'd'
export const STDERR = 'r'
/** The end of standard input on the way there; the program's end (an `ExitStatus`) on the way back. */
export const END = 'e'

export interface StartRequest {
  argv: string[]
  env: Record<string, string>
  timeoutMs?: number
}
