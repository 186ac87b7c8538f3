export type DumpFormat = 'sql' | 'gzip' | 'zip'

/** `detectDumpFormat` needs this many bytes from the start of the file. A shorter file is passed whole. */
export const FORMAT_HEAD_BYTES = 4_096

/**
 * For an unsupported file, returns a problem that says what to do. This module must not import anything, because it
 * also runs on the server's machine (see `run_dump_import.ts`).
 */
export function detectDumpFormat(
  head: Uint8Array
): { format: DumpFormat; problem?: undefined } | { format?: undefined; problem: string } {
  const bytes = Array.from(head.subarray(0, FORMAT_HEAD_BYTES), (byte) => String.fromCharCode(byte))
  const raw = bytes.join('')
  const has = (magic: string, at = 0) => raw.startsWith(magic, at)
  if (has('\x1f\x8b')) return { format: 'gzip' }
  if (has('PK\x03\x04') || has('PK\x05\x06') || has('PK00PK')) {
    // Bit 0 of the flags in the zip file's first entry says that it is encrypted.
    const isEncrypted = has('PK\x03\x04') && ((head[6] ?? 0) & 1) === 1
    return isEncrypted
      ? {
          problem:
            'The zip file is protected by a password. Unpack it and import the .sql file in it.',
        }
      : { format: 'zip' }
  }
  const compressions: [string, string][] = [
    ['\xfd7zXZ\x00', 'xz'],
    ['\x5d\x00\x00', 'lzma'],
    ['\x28\xb5\x2f\xfd', 'zstd'],
    ['\x04\x22\x4d\x18', 'lz4'],
    ['\x1f\x9d', 'compress'],
    ['7z\xbc\xaf\x27\x1c', '7-Zip'],
    ['Rar!\x1a\x07', 'RAR'],
  ]
  if (/^BZh[1-9]1AY&SY/.test(raw)) compressions.push(['BZh', 'bzip2'])
  for (const [magic, name] of compressions) {
    if (!has(magic)) continue
    const problem = `The file is compressed with ${name}, and an import unpacks only gzip and zip. Unpack the file and import the .sql file in it.`
    return { problem }
  }
  const again =
    'Export the database with mysqldump, mariadb-dump or phpMyAdmin, and import that .sql file.'
  const convert = 'Convert the data to SQL for MySQL first.'
  const isWide = /^(?:\xff\xfe|\xfe\xff|\x00\x00\xfe\xff|[\t-~]\x00[\t-~]\x00|\x00[\t-~]\x00[\t-~])/
  if (isWide.test(raw)) {
    return {
      problem:
        'The file is written in UTF-16, as Windows PowerShell does with “>”, which can damage text. Export the database again with the option --result-file of mysqldump, or save the file as UTF-8.',
    }
  }
  const others: [boolean, string, string][] = [
    [has('SQLite format 3\x00'), 'an SQLite database', convert],
    [has('PGDMP'), 'a backup of PostgreSQL', convert],
    [has('\x6d\xe2\x99\x81'), 'a mongodump archive', 'Import MongoDB data on the MongoDB page.'],
    [has('XBSTCK01'), 'a physical backup made by mariabackup or XtraBackup', again],
    [has('\xfe\x01') || has('\xfebin'), 'a data file or log of a MySQL server', again],
    [has('TAPE') && raw.includes('\x00'), 'a backup of Microsoft SQL Server', convert],
    [/^\x00\x01\x00\x00Standard (?:Jet|ACE) DB/.test(raw), 'a Microsoft Access database', convert],
    [has('%PDF-'), 'a PDF document', again],
    [
      has('package.json\x00'),
      'a backup of All-in-One WP Migration',
      'It contains a whole site. Restore it with that plugin in WordPress.',
    ],
    [has('ustar', 257), 'a tar archive', 'Unpack it and import the .sql file in it.'],
  ]
  const text = raw.replace(/^(?:\xef\xbb\xbf)+/, '').trimStart()
  const isText = (pattern: RegExp) => pattern.test(text)
  others.push(
    [
      isText(/^<(?:!doctype\s+html|html|head|body|script|br\s*\/?>|b>)/i),
      'a web page',
      'The download probably returned a sign-in or error page. Download the dump again.',
    ],
    [isText(/^<(?:\?xml|!--|mysqldump|pma_xml)/), 'XML', again],
    [isText(/^[[{]\s*["{[}\]]/), 'JSON', again],
    [isText(/^<\?php/), 'a PHP script', again],
    [
      isText(/^(?:mysql>|MariaDB \[[^\]\n]*\]>|(?:\+-+)+\+\s*\n\|)/),
      'output of the mysql client',
      again,
    ],
    [
      isText(/^(?:--[^\n]*\n|\s)*-- PostgreSQL database (?:cluster )?dump/),
      'a dump of PostgreSQL',
      convert,
    ],
    [
      isText(/^PRAGMA\s+foreign_keys\s*=\s*\w+;\s*BEGIN\s+TRANSACTION;/i),
      'a dump of SQLite',
      convert,
    ],
    [
      isText(/^GO\s*$/m) && isText(/\[dbo\]|^\s*SET (?:ANSI_NULLS|QUOTED_IDENTIFIER) ON|^USE \[/im),
      'a script for Microsoft SQL Server',
      convert,
    ]
  )
  const other = others.find(([matches]) => matches)
  if (other)
    return { problem: `The file is ${other[1]}, not a dump of MySQL or MariaDB. ${other[2]}` }
  // Only strings may contain control characters. In SQL before the first string, there are none.
  const start = /^[^'"`\n]{0,64}/.exec(text)![0]
  if (/^[\x80-\xff]|[\x00-\x08\x0e-\x1f\x7f]/.test(start)) {
    return { problem: `The file is not SQL text. ${again}` }
  }
  return { format: 'sql' }
}
