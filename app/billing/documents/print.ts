import type { DocumentLanguage } from '#billing/documents/figures'
import { Refusal } from '#core/refusal'
import logger from '@adonisjs/core/services/logger'
import type { Asked, Printed } from '#billing/documents/printer'
import { extname } from 'node:path'
import { Piscina } from 'piscina'

/** What a printed sheet holds, all of it text that is ready to be read. */
export interface Sheet {
  language: DocumentLanguage
  title: string
  /** Who sells and who buys: a label, a name and lines below it. */
  parties: { label: string; name: string; lines: string[] }[]
  facts: [label: string, value: string][]
  columns: { label: string; right?: boolean }[]
  rows: string[][]
  /** The last one is what it comes to. */
  totals: [label: string, value: string][]
}

const TYPST_PACKAGE = '@myriaddreamin/typst-ts-node-compiler'

/** Milliseconds after which a thread that nobody asks ends, and its memory with it. */
const THREAD_IDLE_TIMEOUT_MS = 60_000
/** The time limit of one PDF. A thread that exceeds it is terminated. */
const PDF_TIMEOUT_MS = 120_000

/** Prints sheets in a thread of its own, one after another. */
export class Printer {
  #threads?: Piscina<Asked, Printed>

  constructor(readonly engine = TYPST_PACKAGE) {}

  /**
   * The sheet as PDF. Throws 503 where this machine has no printer: its engine or its letters are not installed.
   */
  async print(sheet: Sheet): Promise<Buffer> {
    this.#threads ??= new Piscina({
      filename: new URL(`./printer${extname(import.meta.url)}`, import.meta.url).href,
      ...{ minThreads: 0, maxThreads: 1, idleTimeout: THREAD_IDLE_TIMEOUT_MS },
    })
    const printed = await this.#threads.run(
      { sheet, engine: this.engine },
      { signal: AbortSignal.timeout(PDF_TIMEOUT_MS) }
    )
    if ('pdf' in printed) return Buffer.from(printed.pdf)
    logger.error({ err: printed.missing }, 'Bills cannot be printed')
    throw cannotPrint()
  }

  async stop(): Promise<void> {
    await this.#threads?.destroy()
    this.#threads = undefined
  }
}

/** The process's own. */
export const printer = new Printer()

export function cannotPrint(): Refusal {
  return new Refusal(
    'no_printer',
    503,
    'Bills cannot be printed: the PDF engine or its fonts are not installed. Ask support.'
  )
}
