import { inboundTextParser, textParser } from '../parsing/untrusted_text_parser.js'

/** Raises the time limits of this process's parsers, because other tests keep the processors busy. */
export function raiseParserTimeouts(): void {
  for (const parser of [textParser, inboundTextParser]) parser.timeoutMs = 120_000
}
