import vine from '@vinejs/vine'

/** Exact decimals as text, at most so many places. */
export const decimalSchema = (places: number) =>
  vine
    .string()
    .trim()
    .maxLength(20)
    .regex(new RegExp(`^\\d{1,11}(\\.\\d{1,${places}})?$`))

/** Of a mobile operator: letters and digits, as people copy them. */
export const transactionIdSchema = () =>
  vine
    .string()
    .trim()
    .maxLength(40)
    .regex(/^[A-Za-z0-9 -]{4,40}$/)

export const lineSchema = (max: number) => vine.string().trim().minLength(1).maxLength(max)

/** The mobile account that money comes from. */
export const mobileAccountSchema = () => lineSchema(40).regex(/^[+\d][\d -]{2,39}$/)

/** What its sender calls a payment. */
export const referenceSchema = () => vine.string().trim().maxLength(100).nullable().optional()
