import { extname } from 'node:path'
import { Piscina } from 'piscina'
import type { DeliveryReport } from '../inbound/delivery_report.js'
import type { ParsedReplyMail } from '../inbound/verify_reply_mail.js'
import { HtmlTooComplexError, htmlToText, measureHtml } from './html_text.js'

/** Longer HTML is converted in a thread. Starting the thread takes longer than converting short HTML. */
const MAX_INLINE_HTML_LENGTH = 8_000
const MAX_INLINE_PREFIXED_LINES = 1_000
/** Time limit per text. The largest allowed text takes half a second on an idle host. */
const PARSE_TIMEOUT_MS = 2_000
const THREAD_IDLE_TIMEOUT_MS = 60_000
const MAX_HEAP_MB = 256

/** Maximum waiting texts of one sender. */
const MAX_WAITING_PER_SENDER = 20

export class ParseLimitExceededError extends Error {}

/** A sender already has too many waiting texts. */
export class ParserBusyError extends Error {}

/** Parses one text at a time in a worker thread. A text that takes too long ends the thread, not the process. */
export class UntrustedTextParser {
  #thread?: Piscina
  #last: Promise<unknown> = Promise.resolve()

  readonly #waiting = new Map<string, number>()
  readonly #timeout: number

  constructor(timeout = PARSE_TIMEOUT_MS) {
    this.#timeout = timeout
  }

  /**
   * Converts HTML to text.
   * @param sender limits the waiting texts of one sender
   * @throws HtmlTooComplexError, ParseLimitExceededError, ParserBusyError
   */
  async html(html: string, sender = ''): Promise<string> {
    const isShort = html.length <= MAX_INLINE_HTML_LENGTH
    if (isShort && measureHtml(html) <= MAX_INLINE_PREFIXED_LINES) return htmlToText(html)
    const waiting = this.#waiting.get(sender) ?? 0
    if (waiting >= MAX_WAITING_PER_SENDER) {
      throw new ParserBusyError(
        `${MAX_WAITING_PER_SENDER} messages of this sender already wait for their text. Send this one again in a moment.`
      )
    }
    this.#waiting.set(sender, waiting + 1)
    const read = await this.#run<{ text: string } | { tooComplex: string }>(
      'convertHtml',
      html
    ).finally(() => this.#release(sender))
    if ('tooComplex' in read) throw new HtmlTooComplexError(read.tooComplex)
    return read.text
  }

  /**
   * Parses a delivery report.
   * @param fromNobody whether the envelope sender is empty
   * @throws ParseLimitExceededError
   */
  report(raw: Buffer, fromNobody: boolean): Promise<DeliveryReport | undefined> {
    return this.#run('parseReport', { raw, fromNobody })
  }

  /**
   * Parses a reply.
   * @throws ParseLimitExceededError
   */
  answer(raw: Buffer, fromNobody: boolean): Promise<ParsedReplyMail> {
    return this.#run('parseReply', { raw, fromNobody })
  }

  async stop(): Promise<void> {
    await this.#thread?.destroy()
    this.#thread = undefined
  }

  #release(sender: string): void {
    const waiting = this.#waiting.get(sender)! - 1
    if (waiting) this.#waiting.set(sender, waiting)
    else this.#waiting.delete(sender)
  }

  /** Runs a task. Its time limit starts when the thread is free and running. */
  #run<T>(name: string, input: unknown): Promise<T> {
    const read = this.#last.then(() => this.#runNow<T>(name, input))
    this.#last = read.catch(() => {})
    return read
  }

  async #runNow<T>(name: string, input: unknown): Promise<T> {
    this.#thread ??= new Piscina({
      filename: new URL(`./parser_thread${extname(import.meta.url)}`, import.meta.url).href,
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: THREAD_IDLE_TIMEOUT_MS,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    })
    await this.#thread.run(undefined, { name: 'warmUp' })
    const signal = AbortSignal.timeout(this.#timeout)
    try {
      return (await this.#thread.run(input, { name, signal })) as T
    } catch (error) {
      const { code, message } = error as { code?: string; message?: string }
      const isTooLarge = code === 'ERR_WORKER_OUT_OF_MEMORY' || message === 'Invalid string length'
      if (!signal.aborted && !isTooLarge) throw error
      throw new ParseLimitExceededError('The text of the message takes too long to parse.', {
        cause: error,
      })
    }
  }
}

/** Parses messages of customers. */
export const textParser = new UntrustedTextParser()
/** Parses incoming mail separately, so that strangers cannot delay customers. */
export const inboundTextParser = new UntrustedTextParser()
