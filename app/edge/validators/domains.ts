import vine from '@vinejs/vine'

export const domainListValidator = vine.create({
  domains: vine
    .array(vine.object({ subdomain: vine.string().maxLength(300), status: vine.any().optional() }))
    .maxLength(50),
})

export const domainNameValidator = vine.create({ subdomain: vine.string().maxLength(300) })
