import mysql, { type FieldPacket } from 'mysql2'

const { Types } = mysql

export const MAX_CELL_CHARACTERS = 2_000
const MAX_SHOWN_BYTES = 32
/** Number of the character set `binary`. Columns that contain no text have it. */
const BINARY_CHARSET = 63

export interface QueryColumn {
  name: string
  kind: 'text' | 'number' | 'binary' | 'bits'
  bits: number
}

/** A value as the server sends it. Null: SQL NULL. */
export type RawCell = Buffer | null

const NUMBER_TYPES = new Set<number | undefined>([
  Types.DECIMAL,
  Types.TINY,
  Types.SHORT,
  Types.LONG,
  Types.FLOAT,
  Types.DOUBLE,
  Types.LONGLONG,
  Types.INT24,
  Types.YEAR,
  Types.NEWDECIMAL,
])
const STRING_TYPES = new Set<number | undefined>([
  Types.VARCHAR,
  Types.VAR_STRING,
  Types.STRING,
  Types.BLOB,
  Types.TINY_BLOB,
  Types.MEDIUM_BLOB,
  Types.LONG_BLOB,
])

export function columnOf(field: FieldPacket): QueryColumn {
  const { name, columnType: type, characterSet, columnLength = 1, extendedTypeName } = field
  const column = { name, bits: columnLength }
  if (type === Types.BIT) return { ...column, kind: 'bits' }
  if (type === Types.GEOMETRY) return { ...column, kind: 'binary' }
  if (NUMBER_TYPES.has(type)) return { ...column, kind: 'number' }
  // MariaDB says that INET4, INET6 and UUID are binary, but sends them as text.
  const isText = extendedTypeName && /^(uuid|inet[46])$/.test(extendedTypeName)
  if (STRING_TYPES.has(type) && characterSet === BINARY_CHARSET && !isText)
    return { ...column, kind: 'binary' }
  return { ...column, kind: 'text' }
}

/** Formats a value without truncating it. Numbers and times stay as the server writes them. Bytes become `0x…`. */
export function formatFullCell({ kind, bits }: QueryColumn, value: RawCell): string | null {
  if (value === null) return null
  if (kind === 'binary') return `0x${value.toString('hex')}`
  if (kind === 'bits') return bitsOf(value, bits)
  return value.toString('utf8')
}

/** Truncates text to 2,000 characters, and binary values to 32 bytes followed by their size. */
export function formatShortenedCell(column: QueryColumn, value: RawCell): string | null {
  if (value === null) return null
  if (column.kind === 'binary' && value.length > MAX_SHOWN_BYTES) {
    const first = value.toString('hex', 0, MAX_SHOWN_BYTES)
    return `0x${first}… (${value.length.toLocaleString('en')} bytes)`
  }
  if (column.kind !== 'text') return formatFullCell(column, value)
  const text = value.toString('utf8', 0, MAX_CELL_CHARACTERS * 4)
  if (text.length <= MAX_CELL_CHARACTERS) return text
  return `${text.slice(0, MAX_CELL_CHARACTERS).replace(/[\ud800-\udbff]$/, '')}…`
}

function bitsOf(value: Buffer, bits: number): string {
  const digits = BigInt(`0x${value.toString('hex') || '0'}`).toString(2)
  return `b'${digits.padStart(bits, '0')}'`
}
