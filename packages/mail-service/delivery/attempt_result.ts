import { sanitizeLine } from '../../service/sanitize_line.js'
import type { AttemptOutcome } from '../types.js'
import { isHardBounce } from './hard_bounce.js'

export interface AttemptResult {
  outcome: AttemptOutcome
  host: string | null
  tls: string | null
  code: number | null
  enhanced: string | null
  answer: string
  /** Duration in milliseconds. */
  took: number
  /** Whether the server says that the recipient does not exist. If so, it is added to the sender's suppression list. */
  hard: boolean
  /**
   * Whether no server responded, or the server rejected or ended the whole connection. That says nothing about the
   * message.
   */
  broken: boolean
}

/** An error of nodemailer's SMTPConnection. */
export interface SendError extends Error {
  code?: string
  response?: string
  responseCode?: number
  command?: string
}

/** SMTP commands for one message. Errors of other commands concern the whole connection. */
const MESSAGE_COMMANDS = ['MAIL FROM', 'RCPT TO', 'DATA']

/**
 * Reply codes with which a server demands authentication. They mean that Berth's settings are wrong, not the message.
 */
const AUTHENTICATION_CODES = [530, 534, 535, 538]

/** Parses the enhanced status code at the start of a reply (RFC 2034). */
export function parseEnhancedStatus(answer: string | undefined): string | null {
  return /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/.exec(answer ?? '')?.[1] ?? null
}

/** @param ours whether the server is our own relay. If so, its outage has the outcome `fault` instead of `deferred` */
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
  const hard =
    error.command !== 'MAIL FROM' &&
    isHardBounce({ enhanced, code, text: answer }, { atRecipient, byText: atRecipient })
  return { ...result, outcome: 'refused', hard }
}
