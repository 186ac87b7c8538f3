import { statementRejected } from '#billing/errors'
import { formatSerialDate } from '#billing/statements/serial_date'
import sax from 'sax'
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl'

/** Maximum unpacked size. 100,000 rows of eleven columns need about half of it. */
const MAX_UNPACKED_BYTES = 128 * 1024 * 1024
const MAX_ENTRIES = 1_000
/** Maximum length of all shared strings together. */
const MAX_SHARED_STRINGS_LENGTH = 32 * 1024 * 1024
const MAX_CELL_LENGTH = 32_767
/** Further columns are ignored. */
const MAX_COLUMNS = 200
const MAX_SHEETS = 20
const MAX_SIGNIFICANT_DIGITS = 15

/** `name` has no namespace prefix. */
interface Element {
  name: string
  attributes: Record<string, string>
}

interface Listener {
  open?(element: Element): void
  close?(name: string): void
  text?(text: string): void
}

export interface Workbook {
  sheets: (() => AsyncGenerator<string[]>)[]
}

/**
 * Opens an XLSX file. Limits the unpacked size, and rejects parts with a DOCTYPE, which could define XML entities.
 * Uses the stored values of formulas and computes none.
 * @throws 422 if the file is not a readable workbook
 */
export async function openUploadedWorkbook(file: Buffer): Promise<Workbook> {
  return rejectUnreadable(async () => {
    const zip = await fromBufferPromise(file, { lazyEntries: true, autoClose: false })
    if (zip.entryCount > MAX_ENTRIES) throw unreadable()
    const parts = new Map<string, Entry>()
    let unpacked = 0
    for await (const entry of zip.eachEntry()) {
      unpacked += entry.uncompressedSize
      if (unpacked > MAX_UNPACKED_BYTES || entry.isEncrypted()) throw unreadable()
      parts.set(entry.fileName.toLowerCase(), entry)
    }
    const read = (path: string, listener: Listener) => readPart(zip, parts, path, listener)
    const { sheets, is1904 } = await contentsOf(read)
    const [shared, dates] = [await sharedTexts(read), await dateStyles(read)]
    return {
      sheets: sheets.map((path) => () => rowsOf(zip, parts, path, { shared, dates, is1904 })),
    }
  })
}

type Read = (path: string, listener: Listener) => Promise<void>

const unreadable = () =>
  statementRejected('This workbook cannot be read. Save it as CSV (UTF-8) and upload the CSV file.')

async function rejectUnreadable<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Error && error.name === 'AppError') throw error
    throw unreadable()
  }
}

async function contentsOf(read: Read) {
  const seen: string[] = []
  let is1904 = false
  await read('xl/workbook.xml', {
    open({ name, attributes }) {
      if (name === 'workbookPr') is1904 = /^(1|true)$/.test(attributes.date1904 ?? '')
      if (name === 'sheet' && (attributes.state ?? 'visible') === 'visible') {
        seen.push(attributes.id ?? '')
      }
    },
  })
  const targets = new Map<string, string>()
  await read('xl/_rels/workbook.xml.rels', {
    open({ name, attributes }) {
      if (name === 'Relationship') targets.set(attributes.Id, attributes.Target)
    },
  })
  const paths = seen.flatMap((id) => targets.get(id) ?? [])
  const sheets = paths.map((path) => (path.startsWith('/') ? path.slice(1) : `xl/${path}`))
  return { sheets: sheets.slice(0, MAX_SHEETS), is1904 }
}

/** Cells refer to these strings by index. */
async function sharedTexts(read: Read): Promise<string[]> {
  const texts: string[] = []
  let [letters, text, inText, phonetic] = [0, '', false, false]
  await read('xl/sharedStrings.xml', {
    open({ name }) {
      if (name === 'si') text = ''
      if (name === 'rPh') phonetic = true
      inText = name === 't' && !phonetic
    },
    text(part) {
      if (inText) text += part
    },
    close(name) {
      inText = false
      if (name === 'rPh') phonetic = false
      if (name !== 'si') return
      letters += text.length
      if (letters > MAX_SHARED_STRINGS_LENGTH || text.length > MAX_CELL_LENGTH) throw unreadable()
      texts.push(text)
    },
  })
  return texts
}

async function dateStyles(read: Read): Promise<boolean[]> {
  const own = new Map<string, boolean>()
  const styles: boolean[] = []
  let inCells = false
  await read('xl/styles.xml', {
    open({ name, attributes }) {
      if (name === 'numFmt') own.set(attributes.numFmtId, showsDate(attributes.formatCode ?? ''))
      if (name === 'cellXfs') inCells = true
      if (name !== 'xf' || !inCells) return
      const id = attributes.numFmtId ?? '0'
      styles.push(own.get(id) ?? isBuiltInDate(Number(id)))
    },
    close(name) {
      if (name === 'cellXfs') inCells = false
    },
  })
  return styles
}

/** Source: ECMA-376 part 1, 18.8.30. */
const isBuiltInDate = (id: number) =>
  (id >= 14 && id <= 22) ||
  (id >= 27 && id <= 36) ||
  (id >= 45 && id <= 47) ||
  (id >= 50 && id <= 58)

const showsDate = (code: string) => /[dmyhs]/i.test(code.replace(/"[^"]*"|\\.|_.|\[[^\]]*\]/g, ''))

interface WorkbookParts {
  shared: string[]
  dates: boolean[]
  is1904: boolean
}

async function* rowsOf(
  zip: ZipFile,
  parts: Map<string, Entry>,
  path: string,
  workbookParts: WorkbookParts
): AsyncGenerator<string[]> {
  const rows: string[][] = []
  let row: string[] = []
  let cell: { column: number; type: string; style: number } | null = null
  let [value, inValue, column] = ['', false, -1]
  const listener: Listener = {
    open({ name, attributes }) {
      if (name === 'row') [row, column] = [[], -1]
      else if (name === 'c') {
        column = attributes.r ? columnOf(attributes.r) : column + 1
        cell = { column, type: attributes.t ?? 'n', style: Number(attributes.s ?? 0) }
        value = ''
      }
      inValue = cell !== null && (name === 'v' || name === 't')
    },
    text(part) {
      if (!inValue) return
      value += part
      if (value.length > MAX_CELL_LENGTH) throw unreadable()
    },
    close(name) {
      inValue = false
      if (name === 'c' && cell) {
        if (cell.column < MAX_COLUMNS) row[cell.column] = textOf(value, cell, workbookParts)
        cell = null
      } else if (name === 'row' && row.some((text) => text)) {
        rows.push(Array.from(row, (text) => text ?? ''))
      }
    },
  }
  try {
    for await (const _ of partOf(zip, parts, path, listener)) {
      yield* rows.splice(0)
    }
  } catch (error) {
    if (error instanceof Error && error.name === 'AppError') throw error
    throw unreadable()
  }
}

/** Returns 27 for `AB12`. */
function columnOf(reference: string): number {
  const letters = /^[A-Z]{1,3}/.exec(reference)?.[0] ?? ''
  return [...letters].reduce((sum, character) => sum * 26 + character.charCodeAt(0) - 64, 0) - 1
}

function textOf(
  value: string,
  { type, style }: { type: string; style: number },
  { shared, dates, is1904 }: WorkbookParts
): string {
  const text = value.trim()
  if (type === 's') return (shared[Number(text)] ?? '').trim()
  if (type !== 'n' || text === '') return text
  return (dates[style] ? formatSerialDate(text, is1904) : null) ?? numberOf(text)
}

/**
 * Returns the shortest decimal form, because spreadsheets store 64.1 as 64.099999999999994. Returns a number
 * with too many integer digits in exponential notation, because it is inexact.
 */
function numberOf(text: string): string {
  if (!/^-?\d+(\.\d+)?$/.test(text)) return text.toUpperCase()
  const whole = text.replace(/^-/, '').split('.')[0].replace(/^0+/, '')
  if (whole.length > MAX_SIGNIFICANT_DIGITS) return Number(text).toExponential().toUpperCase()
  return text.replace(/\D/g, '').length > MAX_SIGNIFICANT_DIGITS ? String(Number(text)) : text
}

async function readPart(
  zip: ZipFile,
  parts: Map<string, Entry>,
  path: string,
  listener: Listener
): Promise<void> {
  for await (const _ of partOf(zip, parts, path, listener)) continue
}

async function* partOf(
  zip: ZipFile,
  parts: Map<string, Entry>,
  path: string,
  listener: Listener
): AsyncGenerator<void> {
  const entry = parts.get(path.toLowerCase())
  if (!entry) return
  const parser = parserFor(listener)
  const letters = new TextDecoder('utf-8', { fatal: true })
  // yauzl throws if more bytes are unpacked than the ZIP directory states. The check of the stated
  // sizes therefore suffices.
  for await (const bytes of await zip.openReadStreamPromise(entry)) {
    parser.write(letters.decode(bytes as Buffer, { stream: true }))
    yield
  }
  parser.write(letters.decode()).close()
  yield
}

function parserFor({ open, close, text }: Listener) {
  const parser = sax.parser(true)
  const plain = (name: string) => name.slice(name.indexOf(':') + 1)
  parser.onerror = (error) => {
    throw error
  }
  parser.ondoctype = () => {
    throw unreadable()
  }
  parser.onopentag = ({ name, attributes }) => {
    const named = Object.entries(attributes).map(([key, value]) => [plain(key), String(value)])
    open?.({ name: plain(name), attributes: Object.fromEntries(named) })
  }
  parser.onclosetag = (name) => close?.(plain(name))
  parser.ontext = (part) => text?.(part)
  parser.oncdata = (part) => text?.(part)
  return parser
}
