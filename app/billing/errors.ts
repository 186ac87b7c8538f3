import { formatTaka } from '#core/money'
import { conflict, invalid, Refusal } from '#core/refusal'

/** Refusals of billing: code, status, words. */

/** A transaction pays one bill, whoever claims it. */
export function trxUsed(field: string): Refusal {
  return invalid({ [field]: 'This transaction ID was already used for another payment.' })
}

export function trxTwice(): Refusal {
  return invalid({ parts: 'Enter a different transaction ID for each transfer.' })
}

/** @param rest what can be paid at most, in taka */
export function moreThanDue(rest: string): Refusal {
  return invalid({ amount: `This is more than the amount due: ${formatTaka(rest)}.` })
}

export function tooLittle(): Refusal {
  return invalid({ amount: 'Enter at least ৳1 for each transfer.' })
}

export function noRate(): Refusal {
  return conflict('No dollar rate is set for today. Ask support.')
}

/** @param rest what is left, in the bill's currency */
export function moreThanRest(rest: string): Refusal {
  return invalid({ amount: `This is more than the remaining amount of the bill: ${rest}.` })
}

export function runGoesOn(): Refusal {
  return conflict('A billing run is already running.')
}

/** @param credit dollars */
export function moreThanCredit(credit: string): Refusal {
  return invalid({ amount: `This is more than the credit of the account: $${credit}.` })
}

/** What could not be sent by mobile money would stay owed for ever. */
export function leavesTooLittle(): Refusal {
  return invalid({
    amount: 'Less than 0.01 would remain, which cannot be paid. Use the full remaining amount.',
  })
}

/** Less than a paisa is left, by the rate of today. */
export function nothingToSend(): Refusal {
  return conflict('The amount due is too small to send. Ask support.')
}

export function mailSent(): Refusal {
  return new Refusal('mail_sent', 409, 'This email was already sent.')
}

export function mailOfNoUse(reason: string): Refusal {
  return new Refusal('mail_of_no_use', 409, reason)
}

/** @param why in words for who hands it in */
export function statementRefused(why: string): Refusal {
  return invalid({ file: why })
}

export function statementTooLarge(): Refusal {
  return new Refusal(
    'too_large',
    413,
    'The statement is larger than 10 MB. Split it and upload the parts.'
  )
}

export function statementCutOff(): Refusal {
  return new Refusal('cut_off', 400, 'The upload was incomplete. Upload the statement again.')
}

/** The claim is another than the one that was looked at, or no longer what the statement says. */
export function notExact(): Refusal {
  return conflict('The payment no longer matches the statement.')
}

export function approvalGoesOn(): Refusal {
  return conflict('The exact matches of this statement are already being approved.')
}
