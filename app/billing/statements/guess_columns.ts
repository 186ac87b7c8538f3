import type { StatementColumnIndexes } from '#billing/transformers/statement_page_props'

/**
 * Patterns of column names, tried in this order. Sources: samples of bKash, Nagad and Rocket, which
 * publish no specification; exports of banks, PayPal and Wise in English and German.
 */
const names: Record<keyof StatementColumnIndexes, RegExp[]> = {
  trx_id: [
    /^(trx|txn|trn|transaction)[ _.-]*(id|no|number)\b/,
    /^(trx|txn|transaction)$/,
    /(লেনদেন|ট্রানজেকশন|ট্রানজ্যাকশন).*(আইডি|নম্বর)/,
    /(trx|txn|transaction).*(id|no|number)\b/,
    /^(transferwise|wise) id$/,
    /^((trx|txn|trn|transaction)[ _.-]*|bank |payment )?(ref|reference)\b/,
    /^transaktions?(code|nummer|-?id)/,
    /end-to-end|^kundenreferenz/,
  ],
  amount: [
    /^(transacted|transaction|txn|trx)[ _]?(amount|amt)/,
    // Excludes names such as "Credit/Debit" and "Received From", whose columns contain no amounts.
    /^(credit|paid in|received|deposit|in|haben)s?\b(?! ?(\/|(or|from|by|on|at|date|account|a\/c|currency)\b))/,
    /^(gross|brutto|betrag|amount)\b/,
    /amount|\bamt\b|_amt|টাকা|পরিমাণ/,
  ],
  account: [
    // Excludes columns of names and email addresses, because bills are matched by the account number.
    /^(sender|from|payer|customer)(?!.*(name|mail))/,
    /with_acc|msisdn|wallet|mobile|প্রেরক|মোবাইল/,
    /^(account|counter ?party)/,
  ],
  at: [/date|time|buchungstag|datum|তারিখ|সময়/],
  direction: [
    /dr_?\/?cr|cr_?\/?dr|debit.*credit|credit.*debit|direction|balance impact|auswirkung/,
  ],
  status: [/^status$|অবস্থা/, /\bstatus\b|_status/, /^info$/],
  currency: [
    /^(currency|ccy|curr)\b|^(währung|waehrung)/,
    /(trx|txn|transaction|payment|account)[ _]?(currency|ccy)\b/,
    // Excludes the column of the currency before a conversion.
    /^(?!ursprung|original|fremd).*(währung|waehrung)$/,
  ],
}

export function guessColumns(head: string[]): StatementColumnIndexes {
  const plain = head.map((name) => name.normalize('NFKC').toLowerCase().trim())
  const matches = Object.entries(names).map(([field, patterns]) => {
    const hit = patterns.map((one) => plain.findIndex((name) => one.test(name)))
    return [field, hit.find((index) => index !== -1) ?? -1]
  })
  return Object.fromEntries(matches) as StatementColumnIndexes
}
