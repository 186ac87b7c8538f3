import { controlHandler as handler, type ControlHandlers } from '#packages/service/control_handler'
import type { ServiceDatabase } from '#packages/service/database'
import type { SecretCipher } from '#packages/service/secret_encryption'
import type { SubmissionWriter } from '../accept/submission_writer.js'
import type { ComposeOptions } from '../accept/compose.js'
import { mailErrors } from '../errors.js'
import type { OutgoingMailService } from '../outgoing_mail_types.js'
import type { SenderAuthenticator } from '../sender_authenticator.js'
import type { ControlApi } from './contract.js'
import { messageHandlers } from './messages.js'
import { systemMailHandlers } from './system_mail.js'
import { senderHandlers } from './senders.js'
import { tableSizeHandlers } from './table_sizes.js'
import { usageHandlers, QUEUE_STATUS_SQL } from './usage.js'

export interface ControlDeps {
  database: ServiceDatabase
  seal: SecretCipher
  senders: SenderAuthenticator
  commits: SubmissionWriter
  outgoing: Pick<OutgoingMailService, 'handlers' | 'ways' | 'wake'>
  composing: Pick<ComposeOptions, 'key' | 'publicUrl'> & { host?: string }
  submission: { host: string; port: number }
  key: string
}

/** Berth's own emails may be long. */
const MAX_REQUEST_BYTES = 8 * 1024 ** 2

/** Handles the calls of `contract.ts`. */
export function mailControlHandler(deps: ControlDeps) {
  const handlers: ControlHandlers<ControlApi> = {
    ...deps.outgoing.handlers,
    ...senderHandlers(deps),
    ...usageHandlers(deps),
    ...messageHandlers(deps),
    ...systemMailHandlers(deps),
    ...tableSizeHandlers(deps),
    async ways() {
      const row = await deps.database.row<{ waiting: number; oldest: number }>(QUEUE_STATUS_SQL)
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
  return handler<ControlApi>({ handlers, key: deps.key, maxBytes: MAX_REQUEST_BYTES, tooLarge })
}
