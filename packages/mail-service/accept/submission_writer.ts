import type { ServiceDatabase } from '#packages/service/database'
import { retryAfterHeaders, MailError, mailErrors } from '../errors.js'
import { WARM_UP_DAILY_LIMITS } from '../limits.js'

export interface NewMessage {
  id: string
  /** ID of the message's content in `Submission.contents`. */
  content: string
  recipient: string
  /** Recipient domain in lower case. */
  destination: string
  subject: string
  tags?: string[]
  /** Whether the content is deleted when the message reaches a final state. */
  secret?: boolean
  /** Time from which the message may be sent, as ISO 8601. Default: immediately. */
  due?: string
}

/** The messages of one API call or SMTP transaction. They are committed completely or not at all. */
export interface Submission {
  sender: number
  /** SHA-256 of the API key in hexadecimal. `null` for Berth's own emails. */
  key: string | null
  /** `digest`: hash of the request, in hexadecimal. It shows whether a repeated call has the same content. */
  idempotency?: { key: string; digest: string }
  contents: { id: string; raw: Buffer }[]
  messages: NewMessage[]
}

/** `again`: whether the same call was accepted before. In this case, `ids` are the message IDs of the first call. */
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

/** Limits of a group. A single submission that exceeds one of them is committed in a group of its own. */
const MAX_GROUP_MESSAGES = 250
const MAX_GROUP_BYTES = 32 * 1024 ** 2

/**
 * Commits submissions in groups, because a commit takes about the same time for one submission and for many.
 * Submissions that arrive during a commit form the next group. A group never contains two calls of one sender with the
 * same idempotency key.
 */
export class SubmissionWriter {
  #waiting: Waiting[] = []
  #running: Promise<void> | undefined

  readonly #database: ServiceDatabase
  readonly #committed: () => void

  /** @param committed called after each committed group, before callers get their results */
  constructor(database: ServiceDatabase, committed: () => void) {
    this.#database = database
    this.#committed = committed
  }

  /**
   * Resolves when the submission is committed to the database.
   * @throws MailError if the submission is rejected, or with status 503 if the database failed
   */
  accept(submission: Submission): Promise<SubmissionResult> {
    const bytes = submission.contents.reduce((sum, { raw }) => sum + raw.length, 0)
    return new Promise((done, failed) => {
      this.#waiting.push({ submission, bytes, done, failed })
      this.#running ??= this.#run()
    })
  }

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
    let messages = 0
    for (const one of this.#waiting) {
      const { sender, idempotency, messages: added } = one.submission
      const key = idempotency && `${sender} ${idempotency.key}`
      const fits =
        group.length === 0 ||
        (messages + added.length <= MAX_GROUP_MESSAGES && bytes + one.bytes <= MAX_GROUP_BYTES)
      if (fits && !(key && keys.has(key))) {
        group.push(one)
        bytes += one.bytes
        messages += added.length
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
        // If the group fails, commits each submission alone, so that a rejected one does not fail the others.
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

function isOfData(error: unknown): boolean {
  const code = (error as { code?: unknown }).code
  return typeof code === 'string' && /^(22|23|40|54)/.test(code)
}

/**
 * Settings of the database connection. They decide how PostgreSQL plans the statements of the function `mail.accept`.
 * PostgreSQL estimates ten thousand messages for any group, and treats a table without statistics as empty. Without
 * these settings, it scans the tables of suppressions and idempotency keys: 600 ms for 50 messages and 50,000 rows.
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
