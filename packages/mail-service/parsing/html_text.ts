import { compile } from 'html-to-text'
import { Parser } from 'htmlparser2'
import { MAX_HTML_DEPTH, MAX_HTML_ELEMENTS, MAX_HTML_PREFIXED_LINES } from '../limits.js'

/** The HTML is too complex to convert to text. The sender gets the message of this error. */
export class HtmlTooComplexError extends Error {}

/** Elements inside which html-to-text adds a prefix to each line. */
const PREFIXING_ELEMENTS = ['blockquote', 'ul', 'ol']
const LINE_LENGTH = 76
/** Minimum length of lines that html-to-text produces, even in deep quotes. */
const MIN_LINE_LENGTH = 20

const convert = compile({
  wordwrap: LINE_LENGTH,
  limits: { maxInputLength: 2_000_000 },
  selectors: [{ selector: 'img', format: 'skip' }],
})

/** @throws HtmlTooComplexError before the HTML is parsed into a tree */
export function htmlToText(html: string): string {
  assertConvertible(html)
  return convert(html)
}

/**
 * Limits elements, depth, and prefixed lines: for each quote or list around a line, the conversion rewrites the line
 * once. The conversion is recursive, and its time grows with the square of the depth.
 */
function assertConvertible(html: string): void {
  let elements = 0
  let depth = 0
  let prefixes = 0
  let prefixedLines = 0
  const addLines = (lines: number) => {
    prefixedLines += lines * prefixes
    if (prefixedLines > MAX_HTML_PREFIXED_LINES) {
      throw new HtmlTooComplexError('The HTML has too many lines in nested quotes and lists.')
    }
  }
  const counter = new Parser({
    onopentag(name) {
      elements++
      depth++
      if (elements > MAX_HTML_ELEMENTS) {
        throw new HtmlTooComplexError(`The HTML has more than ${MAX_HTML_ELEMENTS} elements.`)
      }
      if (depth > MAX_HTML_DEPTH) {
        throw new HtmlTooComplexError(
          `The HTML has more than ${MAX_HTML_DEPTH} levels of elements.`
        )
      }
      if (PREFIXING_ELEMENTS.includes(name)) prefixes++
      addLines(1)
    },
    ontext(text) {
      if (prefixes) addLines(countLines(text, prefixes))
    },
    onclosetag(name) {
      depth--
      if (PREFIXING_ELEMENTS.includes(name)) prefixes--
    },
  })
  counter.write(html)
  counter.end()
}

/**
 * Estimates the lines of text, including those that html-to-text breaks. Each prefix shortens the lines by at least 2
 * characters.
 */
function countLines(text: string, prefixes: number): number {
  let breaks = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) breaks++
  for (let at = text.indexOf('\r'); at >= 0; at = text.indexOf('\r', at + 1)) breaks++
  return breaks + text.length / Math.max(MIN_LINE_LENGTH, LINE_LENGTH - 2 * prefixes)
}
