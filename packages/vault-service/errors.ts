/** Why the service does not do what was asked for: an HTTP status, a word for programs, words for people. */
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
  (status: number, code: string, words: string) =>
  (message = words) =>
    new VaultError(status, code, message)

/** Every refusal of the service. S3's protocol has its own words for each code (`s3/errors.ts`). */
export const vaultErrors = {
  noKey: make(401, 'no_key', 'Send the headers X-Access-Key-Id and X-Secret-Key of your vault.'),
  wrongKey: make(401, 'wrong_key', 'The access key id and the secret key do not belong together.'),
  readOnlyKey: make(403, 'read_only_key', 'This key may read only.'),
  notAllowed: make(
    403,
    'not_allowed',
    'This vault is private. Open the object with a signed link.'
  ),
  linkEnded: make(403, 'link_ended', 'This link has ended or was changed.'),
  suspended: make(403, 'suspended', 'This vault is suspended.'),
  readOnly: make(403, 'read_only', 'This vault takes no changes at the moment.'),
  limitReached: make(
    429,
    'limit_reached',
    'The owner of this vault has set a sum for the month, and it is reached.'
  ),
  noVault: make(404, 'no_vault', 'There is no such vault.'),
  noObject: make(404, 'no_object', 'There is no such object.'),
  noUpload: make(404, 'no_upload', 'There is no such upload. It was ended, or it never began.'),
  method: make(405, 'method', 'This address does not take that method.'),
  exists: make(409, 'exists', 'That name is taken.'),
  noStore: make(409, 'no_store', 'That store is not set up.'),
  condition: make(412, 'condition', 'The object is not as you expected it.'),
  tooLarge: make(413, 'too_large', 'An object may have 5 GB at most.'),
  name: make(
    422,
    'name',
    'A name has 1 to 1,024 bytes, no part of it is empty, "." or "..", and it has no control characters.'
  ),
  badRequest: make(400, 'bad_request', 'That request cannot be understood.'),
  cutShort: make(400, 'cut_short', 'Less arrived than was announced.'),
  checksum: make(400, 'checksum', 'What arrived does not have the checksum that was sent with it.'),
  full: make(507, 'full', 'There is no room left. Nothing was changed.'),
  storeFailed: make(503, 'store_failed', 'The storage does not answer. Try again.'),
} as const
