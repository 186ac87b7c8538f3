import { extname } from 'node:path'
import { Piscina } from 'piscina'
import type { DeliveryReport } from '../inbound/delivery_report.js'
import type { ParsedReplyMail } from '../inbound/verify_reply_mail.js'
import { HtmlTooComplexError } from './html_text.js'

/** Time limit per text. On an idle host, the largest allowed text takes half a second. */
const PARSE_TIMEOUT_MS = 2_000
/**
 * Time without texts after which the thread ends. It is long, because starting a thread takes longer than converting
 * hundreds of texts.
 */
const THREAD_IDLE_TIMEOUT_MS = 600_000
const MAX_HEAP_MB = 256

const MAX_WAITING_PER_SENDER = 100

export class ParseLimitExceededError extends Error {}

/** The sender already has too many texts waiting. */
export class ParserBusyError extends Error {}

/**
 * Parses texts in a worker thread, one at a time. Senders take turns. If a text needs too much time or memory, only the
 * thread ends, and not the process.
 */
export class UntrustedTextParser {
  #thread?: Piscina
  #isRunning = false

  /** Waiting texts of each sender. The sender that comes first in the map is next. */
  readonly #waiting = new Map<string, (() => Promise<unknown>)[]>()
  timeoutMs: number
  readonly #maxHeapMb: number

  constructor({ timeoutMs = PARSE_TIMEOUT_MS, maxHeapMb = MAX_HEAP_MB } = {}) {
    this.timeoutMs = timeoutMs
    this.#maxHeapMb = maxHeapMb
  }

  /**
   * Converts HTML to text.
   * @param sender used to limit the waiting texts of each sender
   * @throws HtmlTooComplexError, ParseLimitExceededError, ParserBusyError
   */
  async html(html: string, sender = ''): Promise<string> {
    if ((this.#waiting.get(sender)?.length ?? 0) >= MAX_WAITING_PER_SENDER) {
      throw new ParserBusyError(
        `${MAX_WAITING_PER_SENDER} messages of this sender address are already waiting to be parsed. Send this one again in a moment.`
      )
    }
    const read = await this.#run<{ text: string } | { tooComplex: string }>(
      'convertHtml',
      html,
      sender
    )
    if ('tooComplex' in read) throw new HtmlTooComplexError(read.tooComplex)
    return read.text
  }

  /**
   * @param fromNobody whether the envelope sender is empty
   * @throws ParseLimitExceededError
   */
  report(raw: Buffer, fromNobody: boolean): Promise<DeliveryReport | undefined> {
    return this.#run('parseBounceOrComplaint', { raw, fromNobody })
  }

  /**
   * Parses a reply to one of Berth's own emails.
   * @throws ParseLimitExceededError
   */
  answer(raw: Buffer, fromNobody: boolean): Promise<ParsedReplyMail> {
    return this.#run('parseReply', { raw, fromNobody })
  }

  async stop(): Promise<void> {
    await this.#thread?.destroy()
    this.#thread = undefined
  }

  #run<T>(name: string, input: unknown, sender = ''): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<T>()
    const waiting = this.#waiting.get(sender) ?? []
    waiting.push(async () => {
      const parsed = this.#runNow<T>(name, input)
      resolve(parsed)
      await parsed.catch(() => {})
    })
    this.#waiting.set(sender, waiting)
    if (!this.#isRunning) void this.#runWaiting()
    return promise
  }

  async #runWaiting(): Promise<void> {
    this.#isRunning = true
    // A sender with further texts moves to the end of the map. This loop reaches it again, after the other senders.
    for (const [sender, texts] of this.#waiting) {
      const next = texts.shift()!
      this.#waiting.delete(sender)
      if (texts.length > 0) this.#waiting.set(sender, texts)
      await next()
    }
    this.#isRunning = false
  }

  async #runNow<T>(name: string, input: unknown): Promise<T> {
    this.#thread ??= this.#createThread()
    // Starts the thread first, so that its start does not count towards the time limit of a text.
    if (this.#thread.threads.length === 0) await this.#thread.run(undefined, { name: 'warmUp' })
    const signal = AbortSignal.timeout(this.timeoutMs)
    try {
      return (await this.#thread.run(input, { name, signal })) as T
    } catch (error) {
      const { code, message } = error as { code?: string; message?: string }
      const isTooLarge = code === 'ERR_WORKER_OUT_OF_MEMORY' || message === 'Invalid string length'
      if (!signal.aborted && !isTooLarge) throw error
      throw new ParseLimitExceededError(
        `The text of the message takes too ${isTooLarge ? 'much memory' : 'long'} to parse.`,
        { cause: error }
      )
    }
  }

  #createThread(): Piscina {
    const thread = new Piscina({
      filename: new URL(`./parser_thread${extname(import.meta.url)}`, import.meta.url).href,
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: THREAD_IDLE_TIMEOUT_MS,
      resourceLimits: { maxOldGenerationSizeMb: this.#maxHeapMb },
    })
    // The thread may crash while it starts, or after its last text. Without this listener, that error would end the
    // process.
    thread.on('error', () => {
      if (this.#thread === thread) this.#thread = undefined
      void thread.destroy()
    })
    return thread
  }
}

/** Parser for messages of customers. */
export const textParser = new UntrustedTextParser()
/** Separate parser for incoming mail, so that strangers cannot delay customers' messages. */
export const inboundTextParser = new UntrustedTextParser()
