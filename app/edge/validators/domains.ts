import { withMessages } from '#core/validation_messages'
import vine from '@vinejs/vine'

export const domainListValidator = withMessages(
  vine.create({
    domains: vine
      .array(
        vine.object({ subdomain: vine.string().maxLength(300), status: vine.any().optional() })
      )
      .maxLength(200),
  })
)

export const domainNameValidator = withMessages(
  vine.create({ subdomain: vine.string().maxLength(300) }),
  { subdomain: 'domain' }
)
