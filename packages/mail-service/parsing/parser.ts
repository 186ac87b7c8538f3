import { extname } from 'node:path'
import { Piscina } from 'piscina'
import type { Report } from '../inbound/report.js'
import type { Answer } from '../inbound/reply.js'
import { HtmlTooComplex, textOf } from './html_text.js'

/** Characters of HTML that are converted at once: that takes less time than asking the thread. */
const SMALL = 8_000
/** For one text. The largest that is allowed takes half a second on an idle machine. */
const TIMEOUT_MS = 10_000
const IDLE_MS = 60_000
const MAX_HEAP_MB = 256

/** The text takes longer or more memory to read than is allowed. */
export class TakesTooLong extends Error {}

/**
 * Reads what strangers wrote in a thread of its own, one text after another. A text that takes too long ends the thread and
 * not the process.
 */
export class TextParser {
  #thread?: Piscina
  #last: Promise<unknown> = Promise.resolve()

  constructor(private readonly timeout = TIMEOUT_MS) {}

  /** The text of HTML. @throws HtmlTooComplex, TakesTooLong */
  async html(html: string): Promise<string> {
    if (html.length <= SMALL) return textOf(html)
    const read = await this.run<{ text: string } | { tooComplex: string }>('html', html)
    if ('tooComplex' in read) throw new HtmlTooComplex(read.tooComplex)
    return read.text
  }

  /** `fromNobody`: the envelope has no sender. @throws TakesTooLong */
  report(raw: Buffer, fromNobody: boolean): Promise<Report | undefined> {
    return this.run('report', { raw, fromNobody })
  }

  /** @throws TakesTooLong */
  answer(raw: Buffer, fromNobody: boolean): Promise<Answer> {
    return this.run('answer', { raw, fromNobody })
  }

  async stop(): Promise<void> {
    await this.#thread?.destroy()
    this.#thread = undefined
  }

  /** The time begins when the thread is free and has started. */
  private run<T>(name: string, input: unknown): Promise<T> {
    const read = this.#last.then(() => this.runNow<T>(name, input))
    this.#last = read.catch(() => {})
    return read
  }

  private async runNow<T>(name: string, input: unknown): Promise<T> {
    this.#thread ??= new Piscina({
      filename: new URL(`./thread${extname(import.meta.url)}`, import.meta.url).href,
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: IDLE_MS,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    })
    await this.#thread.run(undefined, { name: 'ready' })
    const signal = AbortSignal.timeout(this.timeout)
    try {
      return (await this.#thread.run(input, { name, signal })) as T
    } catch (error) {
      const { code } = error as { code?: string }
      if (!signal.aborted && code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error
      throw new TakesTooLong('The text takes too long to read.', { cause: error })
    }
  }
}

/** The process's own. */
export const textParser = new TextParser()
