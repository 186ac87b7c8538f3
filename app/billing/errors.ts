import { formatTaka, withCurrencySymbol } from '#core/money'
import { currencyName, regionalSettings } from '#core/settings/regional_settings'
import { conflict, invalid, AppError } from '#core/app_error'

/** A transaction can pay only one bill, in any account. */
export function transactionUsed(field: string): AppError {
  return invalid({ [field]: 'This transaction ID was already used for another payment.' })
}

export function duplicateTransactionInClaim(): AppError {
  return invalid({ parts: 'Enter a different transaction ID for each transfer.' })
}

/** @param rest the most that can still be paid, in taka */
export function paymentAboveDue(rest: string): AppError {
  return invalid({ amount: `This is more than the amount due: ${formatTaka(rest)}.` })
}

/** @param least minimum in taka */
export function paymentTooSmall(least: string): AppError {
  return invalid({ amount: `Enter at least ${withCurrencySymbol(least)} for each transfer.` })
}

/** @param digits decimal places of the currency: 0 to 2 */
export function tooManyDecimals(digits: number): AppError {
  const most = digits ? `at most ${digits} decimal${digits > 1 ? 's' : ''}` : 'no decimals'
  return invalid({ amount: `Enter amounts in ${currencyName()} with ${most}.` })
}

export function noDollarRate(): AppError {
  return conflict(
    `No dollar rate is set for today, so Berth cannot calculate the amount in ${currencyName()}. Ask support.`
  )
}

export function noRateForBills(): AppError {
  return conflict(
    'No dollar rate is set for today, so no bills were created. Set a rate under Administration > Billing.'
  )
}

/** @param rest the most that can be credited or written off, in the bill's currency */
export function reductionAboveDue(rest: string): AppError {
  return invalid({ amount: `This is more than the remaining amount of the bill: ${rest}.` })
}

export function paymentsAlreadyCredited(): AppError {
  return conflict('All payments of this bill were already credited.')
}

export function runInProgress(): AppError {
  return conflict('A billing run is already running.')
}

/** @param credit the account's credit in dollars */
export function amountAboveCredit(credit: string): AppError {
  return invalid({ amount: `This is more than the credit of the account: $${credit}.` })
}

/**
 * The remainder would be too small for mobile money, so nobody could ever pay it.
 * @param least smallest payable amount, in the bill's currency
 */
export function remainderTooSmall(least: string): AppError {
  return invalid({
    amount: `Less than ${least} would remain, which cannot be paid. Use the full remaining amount.`,
  })
}

export function dueTooSmallToPay(): AppError {
  const { digits } = regionalSettings()
  const smallest = withCurrencySymbol(digits ? `0.${'1'.padStart(digits, '0')}` : '1')
  return conflict(
    `Less than ${smallest} is due, which cannot be sent by mobile money. Ask support.`
  )
}

export function mailAlreadySent(): AppError {
  return new AppError('mail_sent', 409, 'This email was already sent.')
}

export function mailNotApplicable(reason: string): AppError {
  return new AppError('mail_of_no_use', 409, reason)
}

/** @param why message for the person who uploads the file */
export function statementRejected(why: string): AppError {
  return invalid({ file: why })
}

export function statementTooLarge(): AppError {
  return new AppError(
    'too_large',
    413,
    'The statement is larger than 10 MB. Split it and upload the parts.'
  )
}

export function statementCutOff(): AppError {
  return new AppError('cut_off', 400, 'The upload was incomplete. Upload the statement again.')
}

/** @param received taka that arrived according to the statements */
export function receivedSumDiffers(reported: string, received: string): AppError {
  return conflict(
    `The statement shows ${formatTaka(received)}, but ${formatTaka(reported)} was reported. Open the bill again and choose the amount to approve.`
  )
}

export function receivedSumChanged(): AppError {
  return conflict('The amount of the payment has changed. Open the bill again.')
}

export function nothingReceived(): AppError {
  return conflict('The statement says that no money arrived. Reject the payment.')
}

export function matchNotExact(): AppError {
  return conflict('The payment no longer matches the statement, so it was not approved.')
}

export function unknownStatementTerms(): AppError {
  return conflict(
    'The statement contains words whose meaning Berth does not know, so nothing was approved. Choose on the statement page what they mean, then approve the exact matches.'
  )
}

export function exactApprovalInProgress(): AppError {
  return conflict('The exact matches of this statement are already being approved.')
}
