import { conflict, invalid, Refusal } from '#core/refusal'

/** Refusals of billing: code, status, words. */

/** A transaction pays one bill, whoever claims it. */
export function trxUsed(field: string): Refusal {
  return invalid({ [field]: 'This transaction ID was used for a payment already.' })
}

export function trxTwice(): Refusal {
  return invalid({ parts: 'Each part has a transaction ID of its own.' })
}

/** @param rest what can be paid at most, in taka */
export function moreThanDue(rest: string): Refusal {
  return invalid({ amount: `This is more than is left to pay: ৳${rest}.` })
}

export function tooLittle(): Refusal {
  return invalid({ amount: 'A part is at least ৳1.' })
}

export function noRate(): Refusal {
  return conflict('There is no dollar rate for today. Ask support about it.')
}

/** @param rest what is left, in the bill's currency */
export function moreThanRest(rest: string): Refusal {
  return invalid({ amount: `This is more than is left of the bill: ${rest}.` })
}

export function runGoesOn(): Refusal {
  return conflict('A billing run goes on already.')
}

/** @param credit dollars */
export function moreThanCredit(credit: string): Refusal {
  return invalid({ amount: `This is more than the credit of the account: $${credit}.` })
}

/** What could not be sent by mobile money would stay owed for ever. */
export function leavesTooLittle(): Refusal {
  return invalid({ amount: 'Less than 0.01 would be left, which nobody can pay. Take all of it.' })
}

/** Less than a paisa is left, by the rate of today. */
export function nothingToSend(): Refusal {
  return conflict('So little is left that it cannot be sent. Ask support about it.')
}

export function mailSent(): Refusal {
  return new Refusal('mail_sent', 409, 'This mail was sent already.')
}

export function mailOfNoUse(reason: string): Refusal {
  return new Refusal('mail_of_no_use', 409, reason)
}
