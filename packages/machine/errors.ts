export type MachineErrorKind =
  | 'unreachable'
  | 'refused-host-key'
  | 'refused-credentials'
  | 'timeout'
  | 'too-much-output'
  | 'closed'

/** The only error of this package. Its message can be shown to people and contains no secret. */
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
