import { sanitizeLine } from '../../service/sanitize_line.js'
import type { AttemptOutcome } from '../types.js'

/** How an attempt ended. */
export interface AttemptResult {
  outcome: AttemptOutcome
  host: string | null
  tls: string | null
  code: number | null
  enhanced: string | null
  answer: string
  /** Milliseconds. */
  took: number
  /** The server says that there is no such recipient: nothing will ever arrive there. */
  hard: boolean
  /** Nobody answered, or the line broke: it says something of the server, not of this message. */
  broken: boolean
}

/** What nodemailer's connection throws. */
export interface SendError extends Error {
  code?: string
  response?: string
  responseCode?: number
  command?: string
}

/** Commands that are about this message. What is refused before is about the connection. */
const MESSAGE_COMMANDS = ['MAIL FROM', 'RCPT TO', 'DATA']

/** Codes by which a server asks us to sign in: our settings, not the message. */
const AUTHENTICATION_CODES = [530, 534, 535, 538]

/**
 * "No such recipient" (RFC 3463): bad mailbox, bad domain, bad syntax, moved, null MX; mailbox disabled.
 * A full mailbox or a policy (5.2.2, 5.7.x) may be over tomorrow.
 */
const NO_RECIPIENT_CODES = ['5.1.1', '5.1.2', '5.1.3', '5.1.6', '5.1.10', '5.2.1']

/** The same by servers without enhanced codes, for RCPT TO (RFC 5321, 4.2.3). */
const NO_MAILBOX_CODES = [550, 551, 553]

/** Enhanced status code at the beginning of an answer (RFC 2034). */
export function parseEnhancedStatus(answer: string | undefined): string | null {
  return /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/.exec(answer ?? '')?.[1] ?? null
}

/** Whether nothing will ever arrive there. */
export function isHardBounce(enhanced: string | null, code: number | null): boolean {
  if (enhanced) return NO_RECIPIENT_CODES.includes(enhanced)
  return code !== null && NO_MAILBOX_CODES.includes(code)
}

/** What an error means. `ours`: the server is our own relay, so that it does not answer is our fault. */
export function attemptResultOfError(
  error: SendError,
  ours: boolean
): Pick<AttemptResult, 'outcome' | 'code' | 'enhanced' | 'answer' | 'hard' | 'broken'> {
  const code = error.responseCode ?? null
  const enhanced = parseEnhancedStatus(error.response)
  const answer = sanitizeLine(error.response ?? error.message)
  const result = { code, enhanced, answer, hard: false, broken: false }
  const isMessageCommand = MESSAGE_COMMANDS.includes(error.command ?? '')
  if (error.code === 'EMESSAGE' && code === null) {
    return { ...result, outcome: 'refused', enhanced: '5.3.4' }
  }
  if (error.code === 'EENVELOPE' && code === null) {
    return { ...result, outcome: 'refused', enhanced: '5.1.3' }
  }
  if (code === null || !isMessageCommand)
    return { ...result, outcome: ours ? 'fault' : 'deferred', broken: true }
  if (ours && AUTHENTICATION_CODES.includes(code))
    return { ...result, outcome: 'fault', broken: true }
  if (code < 500) return { ...result, outcome: 'deferred', broken: code === 421 }
  const atRecipient = error.command === 'RCPT TO'
  const hard = enhanced ? isHardBounce(enhanced, code) : atRecipient && isHardBounce(null, code)
  return { ...result, outcome: 'refused', hard }
}
