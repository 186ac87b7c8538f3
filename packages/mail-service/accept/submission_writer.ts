import type { ServiceDatabase } from '#packages/service/database'
import { retryAfterHeaders, MailError, mailErrors } from '../errors.js'
import { WARM_UP_DAILY_LIMITS } from '../limits.js'

/** One recipient of what is taken in. */
export interface NewMessage {
  id: string
  /** Which content it is sent with. */
  content: string
  recipient: string
  /** Domain of the recipient in lower case. */
  destination: string
  subject: string
  tags?: string[]
  /** Words are forgotten once it is final. */
  secret?: boolean
  /** ISO 8601; at once without it. */
  due?: string
}

/** A call as it is committed, whole or not at all. */
export interface Submission {
  sender: number
  /** Digest of the secret, hexadecimal; null for the product itself. */
  key: string | null
  /** `digest`: of what was asked, hexadecimal. */
  idempotency?: { key: string; digest: string }
  contents: { id: string; raw: Buffer }[]
  messages: NewMessage[]
}

/** `again`: the same call was there before, and these are its numbers. */
export interface SubmissionResult {
  ids: string[]
  again: boolean
}

interface Waiting {
  submission: Submission
  bytes: number
  done(accepted: SubmissionResult): void
  failed(error: unknown): void
}

/** Of a group. */
const MAX_GROUP_MESSAGES = 250
const MAX_GROUP_BYTES = 32 * 1024 ** 2

/**
 * Commits what comes in, in groups without a timer: at once when nothing is under way, otherwise together with all
 * that came while the last statement ran. Of two calls with one idempotency key the later waits for the next group.
 */
export class SubmissionWriter {
  #waiting: Waiting[] = []
  #running: Promise<void> | undefined

  readonly #database: ServiceDatabase
  readonly #committed: () => void

  /** `committed` is called after each group, before anybody is answered. */
  constructor(database: ServiceDatabase, committed: () => void) {
    this.#database = database
    this.#committed = committed
  }

  /** Durable when it is fulfilled. Refuses what the sender may not, and with 503 what could not be kept. */
  accept(submission: Submission): Promise<SubmissionResult> {
    const bytes = submission.contents.reduce((sum, { raw }) => sum + raw.length, 0)
    return new Promise((done, failed) => {
      this.#waiting.push({ submission, bytes, done, failed })
      this.#running ??= this.#run()
    })
  }

  /** When nothing is under way any more. */
  async idle(): Promise<void> {
    await this.#running
  }

  async #run(): Promise<void> {
    while (this.#waiting.length) await this.#commit(this.#takeGroup())
    this.#running = undefined
  }

  #takeGroup(): Waiting[] {
    const keys = new Set<string>()
    const group: Waiting[] = []
    const later: Waiting[] = []
    let bytes = 0
    for (const one of this.#waiting) {
      const { sender, idempotency } = one.submission
      const key = idempotency && `${sender} ${idempotency.key}`
      const fits =
        group.length < MAX_GROUP_MESSAGES && (bytes + one.bytes <= MAX_GROUP_BYTES || !group.length)
      if (fits && !(key && keys.has(key))) {
        group.push(one)
        bytes += one.bytes
      } else later.push(one)
      if (key) keys.add(key)
    }
    this.#waiting = later
    return group
  }

  async #commit(group: Waiting[]): Promise<void> {
    let outcomes: (SubmissionResult | MailError)[]
    try {
      outcomes = await write(
        this.#database,
        group.map(({ submission }) => submission)
      )
    } catch (error) {
      if (group.length > 1 && isOfData(error)) {
        // One that the tables do not take must not take the others with it.
        for (const one of group) await this.#commit([one])
        return
      }
      const { message } = error as Error
      for (const { failed } of group) failed(Object.assign(mailErrors.away(), { cause: message }))
      return
    }
    this.#committed()
    for (const [at, { done, failed }] of group.entries()) {
      const outcome = outcomes[at]!
      if (outcome instanceof MailError) failed(outcome)
      else done(outcome)
    }
  }
}

/** What PostgreSQL says of values and constraints; also of two that waited for each other. */
function isOfData(error: unknown): boolean {
  const code = (error as { code?: unknown }).code
  return typeof code === 'string' && /^(22|23|40|54)/.test(code)
}

/**
 * Of connections that accept. What is inside of `mail.accept` is planned once for each of them, and by index. PostgreSQL
 * takes any group for ten thousand rows, and a table that was empty when it was planned for empty until somebody analyses
 * it: without these it reads whole tables of suppressions and idempotency keys, 600 ms for fifty messages beside 50,000 rows.
 */
export const SUBMISSION_WRITER_DATABASE_SETTINGS = {
  plan_cache_mode: 'force_generic_plan',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_seqscan: 'off',
  enable_material: 'off',
}
const ACCEPT_SQL = 'select at, outcome, ids from mail.accept($1, $2, $3, $4, $5, $6)'

async function write(
  database: ServiceDatabase,
  submissions: Submission[]
): Promise<(SubmissionResult | MailError)[]> {
  const senders = [...new Set(submissions.map(({ sender }) => sender))].sort((a, b) => a - b)
  const calls: object[] = []
  const messages: object[] = []
  const contents: object[] = []
  const bodies: Buffer[] = []
  let start = 0
  for (const [at, { sender, key, idempotency, ...submission }] of submissions.entries()) {
    const { key: again, digest } = idempotency ?? {}
    const count = submission.messages.length
    calls.push({ at, sender, key, idempotency: again, digest, count })
    for (const message of submission.messages) messages.push({ at, sender, ...message })
    for (const { id, raw } of submission.contents) {
      contents.push({ at, id, start, length: raw.length })
      bodies.push(raw)
      start += raw.length
    }
  }
  const rows = await database.rows<{ at: number; outcome: string; ids: string[] | null }>(
    ACCEPT_SQL,
    [
      senders,
      ...[calls, messages, contents].map((list) => JSON.stringify(list)),
      Buffer.concat(bodies),
      WARM_UP_DAILY_LIMITS,
    ]
  )
  const outcomes: (SubmissionResult | MailError)[] = []
  for (const { at, outcome, ids } of rows) {
    if (outcome === 'ok')
      outcomes[at] = { ids: submissions[at]!.messages.map(({ id }) => id), again: false }
    else if (outcome === 'again') outcomes[at] = { ids: ids!, again: true }
    else outcomes[at] = (refusals[outcome] ?? mailErrors.wrongKey)()
  }
  return outcomes
}

/** By outcome of `mail.accept`. */
const refusals: Record<string, () => MailError> = {
  key: () => mailErrors.wrongKey(),
  reused: () => mailErrors.reused(),
  paused: () => mailErrors.paused(),
  suspended: () => mailErrors.suspended(),
  deleted: () => mailErrors.deleted(),
  hour: () =>
    mailErrors.hourlyLimit(undefined, retryAfterHeaders(3600 - ((Date.now() / 1000) % 3600))),
  day: () =>
    mailErrors.dailyLimit(undefined, retryAfterHeaders(86_400 - ((Date.now() / 1000) % 86_400))),
}
