import { parseStatementRow } from '#billing/statements/statement_row'
import { readStatementTable } from '#billing/statements/read_table'
import { formatSerialDate } from '#billing/statements/serial_date'
import { createZip } from '#tests/support/zips'
import { test } from '@japa/runner'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const OPENPYXL_PATH = '/usr/lib/python3/dist-packages/openpyxl/__init__.py'

/**
 * Python program that writes a workbook like those of an operator's portal: a cover sheet, a hidden
 * sheet, lines above the header row, and cells with text, numbers and dates.
 */
const written = `
import datetime, openpyxl, sys
book = openpyxl.Workbook()
cover = book.active
cover.title = 'Cover'
cover.append(['Merchant', 'Ferry & Sons'])
hidden = book.create_sheet('Hidden')
hidden.append(['Trx Id', 'Amount', 'Sender', 'Date', 'Note'])
hidden.sheet_state = 'hidden'
sheet = book.create_sheet('Statement')
sheet.append(['Statement of', '01800000000'])
sheet.append([])
sheet.append(['Trx Id', 'Transacted Amount', 'Sender', 'Transaction Date'])
sheet.append(['8N7A6D5EE7', '1,22,500.00', '01711000000', datetime.datetime(2026, 11, 24, 9, 10, 5)])
sheet.append(['8N7A6D5EE8', 64.1, 1711000000, datetime.date(2026, 11, 24)])
sheet.append(['8N7A6D5EE9', 20.5, '017****0000', '24/11/2026 09:10'])
sheet.append(['লেনদেন <১> & "২"', None, None, datetime.time(23, 59)])
sheet.append([12345678901234567890, 20, '-', datetime.datetime(1900, 2, 28)])
sheet['F9'] = 'beside'
book.save(sys.argv[1])
`

async function byAnotherProgram(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-workbook-'))
  try {
    const path = join(folder, 'statement.xlsx')
    await promisify(execFile)('/usr/bin/python3', ['-c', written, path])
    return await readFile(path)
  } finally {
    await rm(folder, { recursive: true })
  }
}

const rowsOf = async (file: Buffer) => {
  const { head, rows: all } = await readStatementTable(file)
  const rows: string[][] = []
  for await (const { cells } of all) rows.push(cells)
  return { head, rows }
}

const spreadsheet = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
const relations = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'

function workbook(rows: string, parts: Record<string, string> = {}): Buffer {
  return createZip({
    'xl/workbook.xml': `<?xml version="1.0"?><workbook ${spreadsheet} ${relations}>
      <sheets><sheet name="One" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>
      <Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>`,
    'xl/worksheets/sheet1.xml': `<worksheet ${spreadsheet}><sheetData>
      <row><c t="inlineStr"><is><t>Trx Id</t></is></c><c t="inlineStr"><is><t>Amount</t></is></c></row>
      ${rows}</sheetData></worksheet>`,
    ...parts,
  })
}

const row = (trx: string, amount: string) =>
  `<row><c t="str"><f>A1</f><v>${trx}</v></c><c><v>${amount}</v></c></row>`

const refusalOf = async (file: Buffer) => {
  const error = await rowsOf(file).catch((reason: { errors?: object }) => reason)
  return JSON.stringify((error as { errors?: object }).errors ?? 'none')
}

test.group('A statement as an XLSX workbook', () => {
  test('is read from its widest visible table', async ({ assert }) => {
    const { head, rows } = await rowsOf(await byAnotherProgram())
    assert.deepEqual(head, ['Trx Id', 'Transacted Amount', 'Sender', 'Transaction Date'])
    assert.deepEqual(rows, [
      ['8N7A6D5EE7', '1,22,500.00', '01711000000', '2026-11-24 09:10:05'],
      ['8N7A6D5EE8', '64.1', '1711000000', '2026-11-24'],
      ['8N7A6D5EE9', '20.5', '017****0000', '24/11/2026 09:10'],
      ['লেনদেন <১> & "২"', '', '', '23:59:00'],
      [rows[4][0], '20', '-', '1900-02-28'],
      ['', '', '', '', '', 'beside'],
    ])
    const columns = { trx_id: 0, amount: 1, account: 2, at: 3, direction: -1, status: -1 }
    const read = rows.map((cells) => parseStatementRow(cells, columns, { separators: new Set() }))
    assert.containSubset(read[0], { line: { amount: '122500.00', accountLike: '01711000000' } })
    // The spreadsheet stored the account as a number, so its leading zero is missing.
    assert.containSubset(read[1], { line: { amount: '64.10', accountLike: '%1711000000' } })
    assert.containSubset(read[2], { line: { amount: '20.50', accountLike: '017%0000' } })
    assert.match(JSON.stringify(read[4]), /A spreadsheet shortened the transaction ID/)
  }).skip(!existsSync(OPENPYXL_PATH), 'python3-openpyxl is not here')

  test('has numbers as typed, and scientific notation for numbers that a spreadsheet shortened', async ({
    assert,
  }) => {
    const amounts: [string, string][] = [
      ['64.099999999999994', '64.1'],
      // A rounding error that another program wrote is not corrected. The amount is rejected.
      ['0.30000000000000004', '0.30000000000000004'],
      ['1500', '1500'],
      ['1500.50', '1500.50'],
      ['-20', '-20'],
      ['100000000000.01', '100000000000.01'],
      ['123456789012345', '123456789012345'],
      ['1234567890123456', '1.234567890123456E+15'],
      ['1.23e+17', '1.23E+17'],
    ]
    const { rows } = await rowsOf(workbook(amounts.map(([raw]) => row('A1B2C3', raw)).join('')))
    assert.deepEqual(
      rows.map(([, amount]) => amount),
      amounts.map(([, shown]) => shown)
    )
  })

  test('has dates as shown, without a time zone', ({ assert }) => {
    const dates: [string, boolean, string | null][] = [
      ['46350', false, '2026-11-24'],
      ['46350.382002314815', false, '2026-11-24 09:10:05'],
      ['46350.999999', false, '2026-11-25 00:00:00'],
      ['44888', true, '2026-11-24'],
      ['1', false, '1900-01-01'],
      ['59', false, '1900-02-28'],
      ['61', false, '1900-03-01'],
      ['0.5', false, '12:00:00'],
      ['-1', false, null],
      ['1e99', false, null],
    ]
    for (const [serial, is1904, shown] of dates) {
      assert.equal(formatSerialDate(serial, is1904), shown, serial)
    }
  })

  test('is rejected if it is a ZIP bomb, defines entities or is damaged', async ({ assert }) => {
    const good = workbook(row('A1B2C3', '20'))
    assert.deepEqual((await rowsOf(good)).rows, [['A1B2C3', '20']])
    const entity = `<!DOCTYPE a [<!ENTITY b "${'x'.repeat(1_000)}">]>`
    const sheet = 'xl/worksheets/sheet1.xml'
    const cell = '<c t="inlineStr"><is><t>'
    const second = 'xl/worksheets/sheet2.xml'
    const bad = [
      // A ZIP bomb: about 1,000 times as large unpacked.
      workbook(`${row('A1B2C3', '20')}<!--${' '.repeat(130 * 1024 ** 2)}-->`),
      workbook('', { [sheet]: `${entity}<worksheet>&b;</worksheet>` }),
      workbook('', { [sheet]: '<worksheet><sheetData>&b;</sheetData></worksheet>' }),
      workbook('', { [sheet]: `<worksheet>${cell}${'x'.repeat(40_000)}</t></is></c></worksheet>` }),
      workbook('<row><c>'),
      // The first sheet is damaged. A table on the second sheet must not hide that.
      workbook('', {
        'xl/workbook.xml': `<workbook ${spreadsheet} ${relations}><sheets>
          <sheet name="One" sheetId="1" r:id="rId1"/><sheet name="Two" sheetId="2" r:id="rId2"/></sheets></workbook>`,
        'xl/_rels/workbook.xml.rels': `<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/>
          <Relationship Id="rId2" Target="worksheets/sheet2.xml"/></Relationships>`,
        [sheet]: '<worksheet><sheetData>&b;</sheetData></worksheet>',
        [second]: `<worksheet><sheetData><row>${cell}Trx Id</t></is></c>${cell}Amount</t></is></c></row></sheetData></worksheet>`,
      }),
      good.subarray(0, good.length - 30),
      Buffer.from('PK\x03\x04'),
    ]
    for (const file of bad) assert.match(await refusalOf(file), /This workbook cannot be read/)
    const old = Buffer.from([0xd0, 0xcf, 0x11, 0xe0])
    assert.match(await refusalOf(old), /in an old format or has a password/)
    assert.match(await refusalOf(workbook('', { [sheet]: '<worksheet/>' })), /no table/)
    assert.match(await refusalOf(createZip({ 'word/document.xml': '<a/>' })), /no table/)
    const many = workbook(row('A1B2C3', '20').repeat(100_001))
    assert.match(await refusalOf(many), /more than 100,000 rows/)
  })
})
