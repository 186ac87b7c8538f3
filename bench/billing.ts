/**
 * The monthly run over CUSTOMERS (10,000 and 1,000,000, `1000,20000` to try), each with a month of use of
 * two meters: charges, bills with numbers, transfers. Against one `INSERT … SELECT` that computes the same
 * totals into the same kind of table, and the same again, when there is nothing left to do. ROUNDS (3) of
 * the small one. A database of its own, on which nothing else works.
 */
import { bare, type BareConsole } from './billing/bare.js'
import { type Bench, median, row } from './frame.js'

const sizes = (process.env.CUSTOMERS ?? '10000,1000000').split(',').map(Number)
const rounds = Number(process.env.ROUNDS ?? 3)

interface Measured {
  run: number
  again: number
  statement: number
  rows: number
}

const bench: Bench = {
  name: 'billing',
  async run({ say }) {
    const measured: Measured[] = []
    for (const [index, customers] of sizes.entries()) {
      const turns: Measured[] = []
      for (let round = 0; round < (index === 0 ? rounds : 1); round++) {
        turns.push(await bare('bench-billing', (console) => one(console, customers)))
        say(`${customers} customers: ${JSON.stringify(turns.at(-1))}`)
      }
      const part = (name: keyof Measured) => median(turns.map((turn) => turn[name]))
      const [run, again, statement, rows] = [
        part('run'),
        part('again'),
        part('statement'),
        part('rows'),
      ]
      measured.push({ run, again, statement, rows })
    }
    const each = sizes.map((customers, index) => (measured[index].run * 1_000) / customers)
    return [
      ...sizes.flatMap((customers, index) => {
        const { run, again, statement, rows } = measured[index]
        const reference = 'one INSERT … SELECT of the same totals'
        return [
          row({
            case: `${customers} customers`,
            unit: 'ms',
            ours: run,
            against: statement,
            reference,
            goal: '<= 1.2x',
          }),
          row({
            case: `${customers}, run again`,
            unit: 'ms',
            ours: again,
            against: run,
            reference: 'the first run',
            goal: '<= 0.7x',
          }),
          row({
            case: `${customers}, run again: bills made`,
            unit: 'rows',
            ours: rows,
            goal: '<= 0',
          }),
        ]
      }),
      row({
        ...{ case: 'One bill of many', unit: 'µs', ours: each.at(-1)!, against: each[0] },
        ...{ reference: `one of ${sizes[0]}`, goal: '<= 1.2x' },
      }),
    ]
  },
}

async function one({ ask }: BareConsole, customers: number): Promise<Measured> {
  await ask('customers', { customers })
  const statement = await ask<number>('statement')
  const run = await ask<number>('bill')
  const again = await ask<number>('bill')
  const rows = (await ask<number>('bills')) - customers
  return { run, again, statement, rows }
}

export default bench
