import type { PdfContent } from '#billing/documents/pdf_renderer'
import type { NodeCompiler } from '@myriaddreamin/typst-ts-node-compiler'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

// Code of the worker thread that renders PDFs. A bill with some thousand lines takes a second to
// render.

const PDF_FONT = 'Noto Serif Bengali'
const files = ['400Regular', '700Bold'].map(
  (name) => `@expo-google-fonts/noto-serif-bengali/${name}/NotoSerifBengali_${name}.ttf` as const
)

/**
 * The content is passed as JSON and printed as plain text, so customers' text never runs as Typst
 * code. Words of 22 or more characters can break anywhere.
 */
const TYPST_TEMPLATE = `
#let sheet = json(bytes(sys.inputs.sheet))
#set document(title: sheet.title, date: none)
#set page(paper: "a4", margin: (x: 18mm, top: 18mm, bottom: 20mm),
  numbering: if sheet.language == "bn" { "১ / ১" } else { "1 / 1" })
#set text(font: "${PDF_FONT}", size: 9pt, lang: sheet.language, fallback: false)
#set par(leading: 0.6em)
#show regex("\\\\S{22,}"): it => it.text.clusters().join(sym.zws)
#let dim(body) = text(fill: luma(90), size: 8pt, body)
#heading(level: 1, text(size: 20pt, sheet.title))
#v(4mm)
#grid(columns: (1fr, 1fr), column-gutter: 10mm,
  ..sheet.parties.map(one => [
    #dim(one.label) \\
    #text(weight: "bold", size: 10.5pt, one.name)
    #for line in one.lines [ \\ #line ]
  ]))
#v(5mm)
#grid(columns: (auto, 1fr), column-gutter: 8mm, row-gutter: 2.2mm,
  ..sheet.details.map(((label, value)) => (dim(label), text(value))).flatten())
#v(5mm)
#if sheet.rows.len() > 0 {
  table(
    columns: sheet.columns.map(one => if one.at("right", default: false) { auto } else { 1fr }),
    align: (x, y) => if sheet.columns.at(x).at("right", default: false) { right } else { left },
    stroke: (x, y) => (bottom: if y == 0 { 0.8pt } else { 0.3pt + luma(200) }),
    inset: (x: 4pt, y: 5pt),
    table.header(..sheet.columns.map(one => text(weight: "bold", one.label))),
    ..sheet.rows.flatten().map(cell => text(cell)))
}
#v(3mm)
#align(right, block(breakable: false, grid(columns: (auto, auto), column-gutter: 10mm, row-gutter: 2.6mm,
  align: (left, right),
  ..sheet.totals.enumerate().map(((at, one)) => {
    let weight = if at == sheet.totals.len() - 1 { "bold" } else { "regular" }
    one.map(part => text(weight: weight, part))
  }).flatten())))
`

const MAX_CACHED_PDFS = 4

/**
 * `missing`: error message, if the PDF engine or a font is not installed. A text, because errors lose
 * their class between threads.
 */
export type PdfRenderResult = { pdf: Uint8Array } | { missing: string }

/** `engine`: npm package of the PDF engine. Tests pass the name of a missing package. */
export interface PdfRenderRequest {
  document: PdfContent
  engine: string
}

let opened: Promise<NodeCompiler> | undefined

export default async function renderPdf({
  document,
  engine,
}: PdfRenderRequest): Promise<PdfRenderResult> {
  opened ??= open(engine)
  try {
    await opened
  } catch (error) {
    opened = undefined
    return { missing: String(error) }
  }
  const compiler = await opened
  const pdf = compiler.pdf({
    mainFileContent: TYPST_TEMPLATE,
    inputs: { sheet: JSON.stringify(document) },
  })
  compiler.evictCache(MAX_CACHED_PDFS)
  return { pdf }
}

async function open(engine: string): Promise<NodeCompiler> {
  // Imported on first use, because the native package may not be installed on this host.
  const { NodeCompiler: Compiler } = (await import(
    engine
  )) as typeof import('@myriaddreamin/typst-ts-node-compiler')
  const { resolve } = createRequire(import.meta.url)
  const fontBlobs = await Promise.all(files.map((file) => readFile(resolve(file))))
  return Compiler.create({ fontArgs: [{ fontBlobs }] })
}
