export type MachineErrorKind =
  | 'unreachable'
  | 'refused-host-key'
  | 'refused-credentials'
  | 'timeout'
  | 'too-much-output'
  | 'closed'

/** The machine could not be used. `message` is fit for people and holds no secret. */
export class MachineError extends Error {
  override name = 'MachineError'

  constructor(
    public readonly kind: MachineErrorKind,
    message: string,
    options?: ErrorOptions
  ) {
    super(message, options)
  }
}
