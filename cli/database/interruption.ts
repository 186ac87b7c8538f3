import { CliError } from '../berth_home.js'
import { print } from '../print.js'
import { detachPrograms } from '../run_program.js'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Handles signals such as Ctrl-C. Until `stopListening`, they end neither this process nor programs that it starts. */
export interface Interruption {
  /** Aborts at the first signal, unless `commit` was called before. */
  signal: AbortSignal
  /**
   * Call this when the work can no longer be undone. Later signals only print a message.
   * @throws the reason of `signal` if a signal has already arrived
   */
  commit(): void
  stopListening(): void
}

export const NO_INTERRUPTION: Pick<Interruption, 'signal' | 'commit'> = {
  signal: new AbortController().signal,
  commit() {},
}

/**
 * Listens for signals, so that a move of the database can stop and clean up. Otherwise Ctrl-C or a lost SSH connection
 * would leave all services stopped, and half a copy on the new server.
 */
export function listenForInterruption(): Interruption {
  const controller = new AbortController()
  let isCommitted = false
  const onSignal = () => {
    if (isCommitted) return print('The tables are copied. The move is being completed')
    print('Stopping the move and removing the copy. Wait until this command ends')
    controller.abort(
      new CliError('The move was interrupted. Nothing was moved, and the old data stay in use')
    )
  }
  // After a lost SSH connection, writing output fails. The clean-up must continue.
  const ignore = () => {}
  const outputs = [process.stdout, process.stderr]
  for (const output of outputs) output.on('error', ignore)
  const attachPrograms = detachPrograms()
  for (const name of SIGNALS) process.on(name, onSignal)
  return {
    signal: controller.signal,
    commit() {
      controller.signal.throwIfAborted()
      isCommitted = true
    },
    stopListening() {
      for (const output of outputs) output.off('error', ignore)
      attachPrograms()
      for (const name of SIGNALS) process.off(name, onSignal)
    },
  }
}
