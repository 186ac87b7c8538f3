import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { S3Error } from './errors.js'

/**
 * An XML document as an object: contents by element name. The key may contain attributes after the name. Each item of a
 * list becomes an element. For `undefined`, there is no element.
 */
export type Xml = string | number | boolean | undefined | Xml[] | { [name: string]: Xml }

const S3_NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/'

const escapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  // Escaped, because an XML parser would convert a carriage return to a line feed (XML 1.0, section 2.11).
  '\r': '&#13;',
}

/**
 * Characters that XML cannot contain (XML 1.0, section 2.2). They occur in error messages that repeat the client's
 * input. U+FFFE and U+FFFF also occur in names of objects that were created when names could still contain them.
 */
const noXml = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

export function writeXml(root: string, content: Xml, namespace = root !== 'Error'): string {
  const name = namespace ? `${root} xmlns="${S3_NAMESPACE}"` : root
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${name}>${inner(content)}</${root}>`
}

function inner(content: Xml): string {
  if (typeof content !== 'object') {
    return String(content ?? '')
      .replace(noXml, '\ufffd')
      .replace(/[&<>"\r]/g, (character) => escapes[character])
  }
  return Object.entries(content)
    .flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map((one) => [name, one]))
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name as string, inner(value as Xml)])
    .map(([name, content]) => `<${name}>${content}</${name.split(' ', 1)[0]}>`)
    .join('')
}

/**
 * `text` returns the text of the first child with a name. It returns undefined if there is none, or if that child has
 * children of its own. `all` returns all children with a name.
 */
export interface XmlElement {
  text(name: string): string | undefined
  all(name: string): XmlElement[]
}

const parser = new XMLParser({
  processEntities: false,
  ignoreAttributes: true,
  removeNSPrefix: true,
  parseTagValue: false,
  trimValues: false,
  ignoreDeclaration: true,
  isArray: () => true,
  tagValueProcessor: (_name, value) => plain(value),
})

/** Maximum depth of elements. The deepest document that S3 clients send has three levels. */
const MAX_XML_DEPTH = 10
/** Maximum length of a tag. Only the root element has an attribute: its namespace. */
const MAX_TAG_LENGTH = 300

/**
 * Parses a document with this root element and at most `maxElements` elements.
 * @throws S3Error MalformedXML for any other document, and for DOCTYPE declarations, comments and CDATA, which S3
 *   clients do not send
 */
export function parseXml(text: string, root: string, maxElements: number): XmlElement {
  const malformed = () =>
    new S3Error(
      'MalformedXML',
      `The XML you provided was not well-formed. Send an XML document with <${root}>.`
    )
  if (!isWithinLimits(text, maxElements)) throw malformed()
  if (text.includes('<!') || XMLValidator.validate(text) !== true) throw malformed()
  let document: unknown
  try {
    document = parser.parse(text)
  } catch {
    throw malformed()
  }
  const [rootElement] = elements(document, root)
  if (rootElement === undefined) throw malformed()
  return element(rootElement)
}

/**
 * Checks the limits in one pass over the tags, because the XML validator and parser need seconds for some documents of
 * 1 MB.
 */
function isWithinLimits(text: string, maxElements: number): boolean {
  let elements = 0
  let depth = 0
  for (let start = text.indexOf('<'); start !== -1; start = text.indexOf('<', start)) {
    const end = text.indexOf('>', start)
    if (end === -1 || end - start > MAX_TAG_LENGTH) return false
    if (text[start + 1] === '/') depth--
    else if (text[start + 1] !== '?') {
      if (++elements > maxElements) return false
      if (text[end - 1] !== '/' && ++depth > MAX_XML_DEPTH) return false
    }
    start = end
  }
  return true
}

function element(node: unknown): XmlElement {
  return {
    text(name) {
      const [child] = elements(node, name)
      return typeof child === 'string' ? child : undefined
    },
    all: (name) => elements(node, name).map(element),
  }
}

function elements(node: unknown, name: string): unknown[] {
  if (typeof node !== 'object' || node === null || !Object.hasOwn(node, name)) return []
  const children = (node as Record<string, unknown>)[name]
  return Array.isArray(children) ? children : [children]
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Decodes the predefined entities and numeric references. Never expands entities that the document itself defines. */
function plain(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{1,8}));/gi,
    (whole, tens, hex, name) => {
      if (name) return entities[name as string] ?? whole
      const point = tens ? Number(tens) : Number.parseInt(hex as string, 16)
      const character = point <= 0x10ffff ? String.fromCodePoint(point) : ''
      return character.replace(noXml, '') || whole
    }
  )
}
