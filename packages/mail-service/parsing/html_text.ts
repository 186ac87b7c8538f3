import { compile } from 'html-to-text'
import { Parser } from 'htmlparser2'
import { MAX_HTML_DEPTH, MAX_HTML_ELEMENTS } from '../limits.js'

/** The error that HTML is too complex. The message is shown to the sender. */
export class HtmlTooComplexError extends Error {}

const convert = compile({
  wordwrap: 76,
  limits: { maxInputLength: 2_000_000 },
  selectors: [{ selector: 'img', format: 'skip' }],
})

/**
 * Converts HTML for mail programs without HTML.
 * @throws HtmlTooComplexError before it builds a tree. The conversion recurses for each level, and its time
 * grows with the square of the depth
 */
export function htmlToText(html: string): string {
  let elements = 0
  let depth = 0
  const counter = new Parser({
    onopentag() {
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
    },
    onclosetag() {
      depth--
    },
  })
  counter.write(html)
  counter.end()
  return convert(html)
}
