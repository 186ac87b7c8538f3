import vine from '@vinejs/vine'

/** Operations that ended later are not on the sender's page yet. */
export const dismissFailuresValidator = vine.create({
  until: vine.date({ formats: { utc: true } }),
})
