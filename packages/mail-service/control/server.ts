import { controlHandler as handler, type Handlers } from '#packages/service/control'
import type { ServiceDatabase } from '#packages/service/database'
import type { Seal } from '#packages/service/seal'
import type { Commits } from '../accept/commits.js'
import type { Composing } from '../accept/compose.js'
import { mailErrors } from '../errors.js'
import type { Outgoing } from '../outgoing.js'
import type { Senders } from '../senders.js'
import type { Control } from './contract.js'
import { messageHandlers } from './messages.js'
import { ownHandlers } from './own.js'
import { senderHandlers } from './senders.js'
import { tableHandlers } from './tables.js'
import { usageHandlers, QUEUE_LENGTH_SQL } from './usage.js'

export interface ControlDeps {
  database: ServiceDatabase
  seal: Seal
  senders: Senders
  commits: Commits
  outgoing: Pick<Outgoing, 'handlers' | 'ways' | 'wake'>
  composing: Pick<Composing, 'key' | 'publicUrl'> & { host?: string }
  /** Where programs hand in mail. */
  submission: { host: string; port: number }
  key: string
}

/** Own messages may come with letters of some length. */
const MAX_REQUEST_BYTES = 8 * 1024 ** 2

/** Answers the console (`contract.ts`). Without its key there is nothing here. */
export function controlHandler(deps: ControlDeps) {
  const handlers: Handlers<Control> = {
    ...deps.outgoing.handlers,
    ...senderHandlers(deps),
    ...usageHandlers(deps),
    ...messageHandlers(deps),
    ...ownHandlers(deps),
    ...tableHandlers(deps),
    async ways() {
      const row = await deps.database.row<{ waiting: number; oldest: number }>(QUEUE_LENGTH_SQL)
      const { submission } = deps
      return {
        ...deps.outgoing.ways(),
        submission,
        waiting: row!.waiting,
        oldestDue: row!.oldest,
      }
    },
  }
  const tooLarge = () => mailErrors.tooLarge('The request is too large.')
  return handler<Control>({ handlers, key: deps.key, longest: MAX_REQUEST_BYTES, tooLarge })
}
