import { recordIdSchema, wholeNumberSchema } from '#core/field_rules'
import { withMessages } from '#core/validation_messages'
import { MAX_TEXT_LENGTH, MESSAGES_PER_PAGE } from '#support/limits'
import { conversationStatuses, type ConversationStatus } from '#support/statuses'
import vine from '@vinejs/vine'

const count = () => wholeNumberSchema()
const sequence = () => count().min(0).max(2_147_483_647)
const paths = () => vine.string().maxLength(2_000).optional()

export const sendMessageValidator = withMessages(
  vine.create({
    text: vine.string().maxLength(MAX_TEXT_LENGTH).optional(),
    photos: paths(),
    docs: paths(),
    key: vine.string().uuid().toLowerCase().optional(),
    page: vine
      .string()
      .maxLength(500)
      .regex(/^\/(?![/\\])[^\s\\]*$/)
      .nullable()
      .optional(),
  }),
  { text: 'message', 'page.regex': 'This is not a page of the console.' }
)

export const messageListValidator = withMessages(
  vine.create({
    page: count().min(1).max(1_000_000).optional(),
    length: count().min(1).max(500).optional(),
    after: sequence().optional(),
  })
)

export const messageListDefaults = { page: 1, length: MESSAGES_PER_PAGE }

export const markReadValidator = withMessages(vine.create({ sequence: sequence() }))
export const conversationStatusValidator = withMessages(
  vine.create({ status: vine.enum(Object.keys(conversationStatuses) as ConversationStatus[]) })
)
export const assignConversationValidator = withMessages(
  vine.create({
    staff_id: recordIdSchema().nullable(),
  })
)
const text = (max: number) => vine.string().trim().minLength(1).maxLength(max)
export const noteValidator = withMessages(vine.create({ text: text(5_000) }), { text: 'note' })
export const savedReplyValidator = withMessages(
  vine.create({ title: text(80), text: text(MAX_TEXT_LENGTH) })
)
export const savedReplyIdValidator = withMessages(vine.create({ id: recordIdSchema() }))
export const messageSearchValidator = withMessages(
  vine.create({ text: vine.string().trim().maxLength(200) })
)
