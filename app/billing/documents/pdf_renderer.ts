import type { DocumentLanguage } from '#billing/documents/localized_format'
import { AppError } from '#core/app_error'
import logger from '@adonisjs/core/services/logger'
import type { PdfRenderRequest, PdfRenderResult } from '#billing/documents/pdf_thread'
import { extname } from 'node:path'
import { Piscina } from 'piscina'

export interface PdfContent {
  language: DocumentLanguage
  title: string
  parties: { label: string; name: string; lines: string[] }[]
  details: [label: string, value: string][]
  columns: { label: string; right?: boolean }[]
  rows: string[][]
  /** Rows below the table. The last one is printed in bold. */
  totals: [label: string, value: string][]
}

const TYPST_PACKAGE = '@myriaddreamin/typst-ts-node-compiler'

/** A thread without work ends after this time, to free its memory. */
const THREAD_IDLE_TIMEOUT_MS = 60_000
const PDF_TIMEOUT_MS = 120_000

/** Renders PDFs in a worker thread, one after another. */
export class PdfRenderer {
  #threads?: Piscina<PdfRenderRequest, PdfRenderResult>

  constructor(readonly engine = TYPST_PACKAGE) {}

  /** @throws 503 if the PDF engine or its fonts are not installed */
  async render(document: PdfContent): Promise<Buffer> {
    this.#threads ??= new Piscina({
      filename: new URL(`./pdf_thread${extname(import.meta.url)}`, import.meta.url).href,
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: THREAD_IDLE_TIMEOUT_MS,
    })
    const printed = await this.#threads.run(
      { document, engine: this.engine },
      { signal: AbortSignal.timeout(PDF_TIMEOUT_MS) }
    )
    if ('pdf' in printed) return Buffer.from(printed.pdf)
    logger.error({ err: printed.missing }, 'Bills cannot be printed')
    throw pdfEngineMissing()
  }

  async stop(): Promise<void> {
    await this.#threads?.destroy()
    this.#threads = undefined
  }
}

export const sharedPdfRenderer = new PdfRenderer()

export function pdfEngineMissing(): AppError {
  return new AppError(
    'no_printer',
    503,
    'Bills cannot be printed: the PDF engine or its fonts are not installed. Ask support.'
  )
}
