import type { StatementTermAnswer, TermColumn } from '#billing/transformers/statement_page_props'

type FailedOutcome = 'failed' | 'pending' | 'reversed'

/**
 * Meaning of a cell in a status or debit/credit column. `unknown`: staff must say whether the term
 * means that money arrived.
 */
export type TermMeaning = 'received' | 'outgoing' | FailedOutcome | 'unknown'

/** An empty cell is a term too. */
export const termLabel = (term: string) => term || '(empty)'

/** Answers of staff, by column and term: whether transfers with the term count as received. */
export type TermAnswers = ReadonlyMap<string, boolean>

/** The first match wins. */
const FAILED_PATTERNS: [FailedOutcome, RegExp][] = [
  ['reversed', /revers|refund|chargeback|charge back|returned|storn|rück|ফেরত/i],
  [
    'pending',
    /pending|processing|in progress|initiated|on hold|awaiting|queued|vorgemerkt|ausstehend|in bearbeitung|\boffen|einbehalten|geplant|অপেক্ষ|চলমান/i,
  ],
  [
    'failed',
    /fail|unsuccess|not success|cancel|declin|reject|denied|expired|timed? ?out|incomplete|void|error|fehlgeschlagen|gescheitert|abgelehnt|abgebrochen|abgelaufen|verweigert|ungültig|nicht (eingel|ausgef|erfolg)|ব্যর্থ|বাতিল|প্রত্যাখ্যা/i,
  ],
]

/** Matches the whole text, so that `Completed with objection` is unknown. */
const RECEIVED_PATTERN =
  /^(the )?((transaction|transfer|payment|umsatz|zahlung|überweisung|transaktion|লেনদেন) (is |was |has been |ist |wurde )?)?(success|successful|successfully (completed|processed)|succeeded|complete|completed( successfully)?|ok|okay|done|paid|received|settled|approved|accepted|confirmed|booked|posted|credited|cleared|processed|executed|finalized|erfolgreich( (abgeschlossen|ausgeführt))?|abgeschlossen|gebucht|verbucht|ausgeführt|bezahlt|eingegangen|eingetroffen|gutgeschrieben|সফল( হয়েছে)?|সম্পন্ন( হয়েছে)?)[.!]?$/i

/** `memo`: entries of PayPal that do not change the balance. `S` is German "Soll", a debit. */
const OUTGOING_PATTERN = /^(dr|debit|out|sent|memo|soll|s$|d$|ডেবিট)/i
const INCOMING_PATTERN =
  /^(cr|credit|credited|c|in|incoming|inward|money in|cash in|paid in|received|receive|deposit|haben|h|\+|gutschrift|eingang|zahlungseingang|ক্রেডিট|জমা)\.?$/i

export const termKey = (column: TermColumn, term: string) => `${column}:${term.toLowerCase()}`

export function termAnswers(answers: StatementTermAnswer[]): TermAnswers {
  return new Map(answers.map(({ column, term, counts }) => [termKey(column, term), counts]))
}

/**
 * An empty cell is unknown unless staff have answered for it, because some operators leave the cell empty until a
 * transfer is completed.
 */
export function statusMeaning(status: string, answers: TermAnswers): TermMeaning {
  const [failed] = FAILED_PATTERNS.find(([, pattern]) => pattern.test(status)) ?? []
  if (failed) return failed
  if (RECEIVED_PATTERN.test(status)) return 'received'
  const counts = answers.get(termKey('status', status))
  if (counts === undefined) return 'unknown'
  return counts ? 'received' : 'failed'
}

export function directionMeaning(direction: string, answers: TermAnswers): TermMeaning {
  if (OUTGOING_PATTERN.test(direction)) return 'outgoing'
  if (INCOMING_PATTERN.test(direction)) return 'received'
  const counts = answers.get(termKey('direction', direction))
  if (counts === undefined) return 'unknown'
  return counts ? 'received' : 'outgoing'
}
