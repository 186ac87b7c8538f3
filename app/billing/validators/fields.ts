import vine from '@vinejs/vine'

/** Accepts an exact decimal, with at most `places` decimals. */
export const decimalSchema = (places: number) =>
  vine
    .string()
    .trim()
    .maxLength(20)
    .regex(new RegExp(`^\\d{1,11}(\\.\\d{1,${places}})?$`))

/** Id of a mobile money operator: letters and digits, as people copy them. */
export const transactionIdSchema = () =>
  vine
    .string()
    .trim()
    .maxLength(40)
    .regex(/^[A-Za-z0-9 -]{4,40}$/)

export const lineSchema = (max: number) => vine.string().trim().minLength(1).maxLength(max)

export const mobileAccountSchema = () => lineSchema(40).regex(/^[+\d][\d -]{2,39}$/)

export const referenceSchema = () => vine.string().trim().maxLength(100).nullable().optional()
