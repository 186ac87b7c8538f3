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

export type FileErrorKind =
  'not-found' | 'denied' | 'exists' | 'no-space' | 'too-large' | 'unsupported' | 'failed'

/** The machine refused a file operation. */
export class FileError extends Error {
  override name = 'FileError'

  constructor(
    public readonly kind: FileErrorKind,
    public readonly path: string,
    message: string,
    options?: ErrorOptions
  ) {
    super(message, options)
  }
}
