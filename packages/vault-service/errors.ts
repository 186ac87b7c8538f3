/** `code` is for programs, `message` for people. */
export class VaultError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly headers: Record<string, string> = {}
  ) {
    super(message)
  }
}

const make =
  (status: number, code: string, defaultMessage: string) =>
  (message = defaultMessage) =>
    new VaultError(status, code, message)

/** `s3/errors.ts` maps them to S3's error codes. */
export const vaultErrors = {
  noKey: make(401, 'no_key', 'Send the headers X-Access-Key-Id and X-Secret-Key of your vault.'),
  wrongKey: make(401, 'wrong_key', 'The access key id or the secret key is wrong.'),
  readOnlyKey: make(403, 'read_only_key', 'This key can only read.'),
  notAllowed: make(
    403,
    'not_allowed',
    'This vault is private. Open the object with a signed link.'
  ),
  linkEnded: make(403, 'link_ended', 'This link has expired or was changed.'),
  suspended: make(403, 'suspended', 'This vault is suspended.'),
  readOnly: make(403, 'read_only', 'This vault is read-only at the moment.'),
  limitReached: make(
    429,
    'limit_reached',
    'This vault has reached the monthly limit that its owner set.'
  ),
  noVault: make(404, 'no_vault', 'This vault does not exist.'),
  noObject: make(404, 'no_object', 'This object does not exist.'),
  noUpload: make(
    404,
    'no_upload',
    'This upload does not exist. It was completed, deleted or never started.'
  ),
  method: make(405, 'method', 'This address does not support this method.'),
  exists: make(409, 'exists', 'This name is already used.'),
  noStore: make(409, 'no_store', 'This store is not set up.'),
  condition: make(412, 'condition', 'The object does not meet the condition that you sent.'),
  tooLarge: make(413, 'too_large', 'An object can have at most 5 GB.'),
  name: make(
    422,
    'name',
    'A name must have 1 to 1,024 bytes and no control characters, U+FFFE or U+FFFF. No part of it may be empty, "." or "..".'
  ),
  badRequest: make(400, 'bad_request', 'The request is not valid.'),
  cutShort: make(400, 'cut_short', 'The request ended before all announced bytes arrived.'),
  checksum: make(400, 'checksum', 'The received data does not match the checksum that you sent.'),
  full: make(507, 'full', 'The storage is full. Nothing was changed.'),
  storeFailed: make(503, 'store_failed', 'The storage does not respond. Try again.'),
} as const
