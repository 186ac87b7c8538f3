/**
 * Benchmark of the monthly billing, for CUSTOMERS customers (default 10,000 and 1,000,000; for a quick test
 * `1000,20000`). Each customer has a usage event of each of two meters. The run creates charges, numbered bills, ledger
 * transfers and emails to the payers. A second run has nothing left to do. The reference (decision 0035) has two parts.
 * One `INSERT … SELECT` computes the same totals. Then the rows that a run has written are copied into tables with the
 * same indexes, checks and foreign keys. During the run, another client repeatedly locks an account and reads its
 * bills. The first number of customers is measured ROUNDS (3) times. The benchmark has its own database.
 */
import { withConsoleProcess, type ConsoleProcess } from './billing/with_console_process.js'
import { BillingDatabase, startConcurrentClient } from './billing/billing_database.js'
import { type Bench, median, resultRow, measureMs } from './measurement.js'

const sizes = (process.env.CUSTOMERS ?? '10000,1000000').split(',').map(Number)
const rounds = Number(process.env.ROUNDS ?? 3)

/** Times are in milliseconds. */
interface Measured {
  fill: number
  bill: number
  tell: number
  again: number
  totals: number
  billed: number
  told: number
  rows: number
  /** Peak memory in MB. */
  memory: number
  waited: number
}

const bench: Bench = {
  name: 'billing',
  async run({ say }) {
    const measured: Measured[] = []
    for (const [index, customers] of sizes.entries()) {
      const turns: Measured[] = []
      for (let round = 0; round < (index === 0 ? rounds : 1); round++) {
        turns.push(await withConsoleProcess('bench-billing', (console) => one(console, customers)))
        say(`${customers} customers: ${JSON.stringify(turns.at(-1))}`)
      }
      const names = Object.keys(turns[0]) as (keyof Measured)[]
      const middle = names.map((name) => [name, median(turns.map((turn) => turn[name]))])
      measured.push(Object.fromEntries(middle) as Measured)
    }
    const each = sizes.map((customers, index) => (measured[index].bill * 1_000) / customers)
    return [
      ...sizes.flatMap((customers, index) => rowsOf(customers, measured[index])),
      resultRow({
        case: 'One bill of many',
        unit: 'µs',
        ours: each.at(-1)!,
        against: each[0],
        reference: `one of ${sizes[0]}`,
        goal: '<= 1.2x',
      }),
      resultRow({
        case: 'Memory of who runs it',
        unit: 'MB',
        goal: '<= 1.2x',
        ours: measured.at(-1)!.memory,
        against: measured[0].memory,
        reference: `of ${sizes[0]}`,
      }),
    ]
  },
}

function rowsOf(customers: number, of: Measured) {
  const copied = 'and what a run writes, copied bare'
  return [
    resultRow({
      case: `${customers} customers: charges, bills, books`,
      unit: 'ms',
      goal: '<= 1.2x',
      ours: of.bill,
      against: of.totals + of.billed,
      reference: `the totals by one INSERT … SELECT ${copied}`,
    }),
    resultRow({
      case: `${customers}: the same`,
      unit: 'ms',
      goal: '',
      ours: of.bill,
      against: of.totals,
      reference: 'the totals alone',
    }),
    resultRow({
      case: `${customers}: their mails`,
      unit: 'ms',
      goal: '',
      ours: of.tell,
      against: of.told,
      reference: 'the mails, copied bare',
    }),
    resultRow({
      case: `${customers}: run again`,
      unit: 'ms',
      goal: '<= 0.7x',
      ours: of.again,
      against: of.bill + of.tell,
      reference: 'the first run',
    }),
    resultRow({
      case: `${customers}: run again, rows written`,
      unit: 'rows',
      goal: '<= 0',
      ours: of.rows,
    }),
    resultRow({
      case: `${customers}: the longest that another waited for an account`,
      unit: 'ms',
      ours: of.waited,
      goal: '<= 1000',
    }),
  ]
}

interface Part {
  took: number
  memory: number
}

async function one(console: ConsoleProcess, customers: number): Promise<Measured> {
  const { ask, ownerUrl } = console
  const books = await new BillingDatabase(console).open()
  try {
    const fill = await measureMs(() => books.fill(customers))
    const totals = await books.totals()
    const end = await startConcurrentClient(ownerUrl, customers)
    const bill = await ask<Part>('bill')
    const tell = await ask<Part>('tell')
    const waited = await end()
    const written = await books.check(customers)
    const again = await ask<Part>('again')
    const rows = (await books.check(customers)) - written
    const [billed, told] = [await books.copy('billed'), await books.copy('told')]
    const memory = Math.max(bill.memory, tell.memory, again.memory)
    const times = { bill: bill.took, tell: tell.took, again: again.took }
    return { fill, ...times, totals, billed, told, rows, memory, waited }
  } finally {
    await books.close()
  }
}

export default bench
