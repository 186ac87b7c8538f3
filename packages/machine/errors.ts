export type MachineErrorKind =
  | 'unreachable'
  | 'refused-host-key'
  | 'refused-credentials'
  | 'timeout'
  | 'too-much-output'
  | 'closed'

/** The only error class of this package. Its message contains no secrets, so pages may show it. */
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
