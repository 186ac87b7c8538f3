import { inOurWords } from '#core/form_words'
import vine from '@vinejs/vine'

export const domainListValidator = inOurWords(
  vine.create({
    domains: vine
      .array(
        vine.object({ subdomain: vine.string().maxLength(300), status: vine.any().optional() })
      )
      .maxLength(50),
  })
)

export const domainNameValidator = inOurWords(
  vine.create({ subdomain: vine.string().maxLength(300) }),
  { subdomain: 'domain' }
)
