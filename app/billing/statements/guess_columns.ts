import type { StatementColumnIndexes } from '#billing/transformers/statement_page_props'

/**
 * Column names, tried in this order. They come from samples of bKash, Nagad and Rocket, which
 * publish none.
 */
const names: Record<keyof StatementColumnIndexes, RegExp[]> = {
  trx_id: [
    /^(trx|txn|transaction)[ _.-]*(id|no|number)\b/,
    /^(trx|txn|transaction)$/,
    /(লেনদেন|ট্রানজেকশন|ট্রানজ্যাকশন).*(আইডি|নম্বর)/,
    /(trx|txn|transaction).*(id|no|number)/,
    /^((trx|txn|transaction)[ _.-]*|bank )?(ref|reference)\b/,
  ],
  amount: [
    /^(transacted|transaction|txn|trx)[ _]?(amount|amt)/,
    /^(credit|paid in|received|deposit|in)\b/,
    /amount|\bamt\b|_amt|টাকা|পরিমাণ/,
  ],
  account: [
    /^(sender|from|payer|customer)/,
    /with_acc|msisdn|wallet|mobile|প্রেরক|মোবাইল/,
    /^(account|counter ?party)/,
  ],
  at: [/date|time|তারিখ|সময়/],
  direction: [/dr_?\/?cr|debit.*credit|direction/],
  status: [/^status$|অবস্থা/, /\bstatus\b|_status/],
}

export function guessColumns(head: string[]): StatementColumnIndexes {
  const plain = head.map((name) => name.normalize('NFKC').toLowerCase().trim())
  const matches = Object.entries(names).map(([field, patterns]) => {
    const hit = patterns.map((one) => plain.findIndex((name) => one.test(name)))
    return [field, hit.find((index) => index !== -1) ?? -1]
  })
  return Object.fromEntries(matches) as StatementColumnIndexes
}
