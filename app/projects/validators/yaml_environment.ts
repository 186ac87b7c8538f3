import { type Document, LineCounter, type Node, type Pair, parseDocument, YAMLSeq } from 'yaml'
import { isAlias, isCollection, isMap, isScalar, isSeq } from 'yaml'

interface YamlVariable {
  line: number
  name: string
  value: string
  isSingleQuoted: boolean
}

interface YamlEnvironment {
  variables: YamlVariable[]
  problems: string[]
  headingLines: number[]
  /** Names of the services that have a key `environment`. */
  services: string[]
  /** Keys whose values are ignored, because they are outside `environment:`. Keys below them are not listed. */
  ignoredKeys: string[]
  /**
   * The `NAME=value` lines in a text that is otherwise a Compose file. All other lines are empty, so that line numbers
   * stay the same.
   */
  otherLines: string
}

/** `uniqueKeys` is off: it would compare each key with all others, which takes quadratic time. */
const OPTIONS = { schema: 'failsafe', merge: true, uniqueKeys: false, prettyErrors: false } as const
/** Limits the use of aliases, so that a short text cannot grow to gigabytes ("billion laughs"). */
const RESOLVE_OPTIONS = { mapAsMap: true, maxAliasCount: 100 }

/**
 * Reads the variables of a Docker Compose file's keys `environment:`, or of YAML that is only a map or list of
 * variables.
 * @returns null for other text
 */
export function readYamlEnvironment(text: string): YamlEnvironment | null {
  const isCompose = /\benvironment["']?:/.test(text)
  const isOther = (line: string) => isCompose && /^[A-Za-z_]\w*=/.test(line)
  const selectLines = (isSelected: (line: string) => boolean) =>
    text.replaceAll(/.+/g, (line) => (isSelected(line) ? line : ''))
  const lineCounter = new LineCounter()
  const lineAt = (offset: number) => lineCounter.linePos(offset).line
  const lineOf = (node: unknown) => lineAt((node as Node).range![0])
  const document = parseDocument(
    selectLines((line) => !isOther(line)),
    Object.assign({ lineCounter }, OPTIONS)
  )
  const { headings, services, ignored } = findHeadings(document)
  const isFragment = headings.length === 0
  if (isFragment && !hasOnlyVariables(document)) return null
  const problems = document.errors.map(({ code, message, pos: [offset] }) =>
    code === 'BAD_DQ_ESCAPE'
      ? `Line ${lineAt(offset)}: YAML has no escape ${/\\.*/s.exec(message)}. Write \\\\ for a backslash.`
      : `Line ${lineAt(offset)}: this is not YAML. ${message}.`
  )
  const variables: YamlVariable[] = []
  const sources = isFragment ? [document.contents] : headings.map(({ value }) => value)
  try {
    for (const { node, written, name, value } of readItems(sources as Node[], document)) {
      const line = lineOf(node)
      const isSingleQuoted = isScalar(written) && written.type === 'QUOTE_SINGLE'
      if (typeof value === 'string') variables.push({ line, name, value, isSingleQuoted })
      else problems.push(`Line ${line}: this is not of the form NAME=value.`)
    }
  } catch (error) {
    // Thrown while YAML aliases were resolved: an unknown anchor, or too many aliases.
    problems.push(`${(error as Error).message}.`)
  }
  const headingLines = headings.map(({ key }) => lineOf(key))
  const ignoredKeys = [
    ...new Set(ignored.toSorted((a, b) => lineOf(a.key) - lineOf(b.key)).map(keyOf)),
  ]
  return {
    variables,
    problems,
    headingLines,
    services,
    ignoredKeys,
    otherLines: selectLines(isOther),
  }
}

/** Finds the keys `environment:` with items, the names of their services, and the other keys, which are ignored. */
function findHeadings({ contents }: Document) {
  const [headings, ignored]: [Pair[], Pair[]] = [[], []]
  const services = new Set<string>()
  const isHeading = (pair: Pair) =>
    keyOf(pair) === 'environment' && (isCollection(pair.value) || isAlias(pair.value))
  const search = (map: unknown, around: string | null): boolean => {
    if (!isMap(map) || around?.startsWith('x-')) return false
    const own = map.items.filter(isHeading)
    const others = map.items.filter((pair) => !isHeading(pair) && !search(pair.value, keyOf(pair)))
    if (others.length === map.items.length) return false
    if (own.length && around !== null) services.add(around)
    headings.push(...own)
    ignored.push(...others)
    return true
  }
  search(contents, null)
  return { headings, services: [...services], ignored }
}

function hasOnlyVariables({ contents, errors, warnings }: Document): boolean {
  if (warnings.length || errors.some(({ code }) => code !== 'BAD_DQ_ESCAPE')) return false
  // A YAML anchor, alias or tag is not plain: in files of other programs, `!`, `&` or `*` at the beginning belongs to
  // the value.
  const isPlain = (node: unknown) => isScalar(node) && !node.anchor && !node.tag
  if (isSeq(contents))
    return contents.items.every((item) => isPlain(item) && /^[^\s=:#'"]+=/.test(String(item)))
  return (
    isMap(contents) &&
    contents.items.every((pair) => /^[^\s=:#'"]+$/.test(keyOf(pair)) && isPlain(pair.value))
  )
}

function readItems(sources: Node[], document: Document) {
  const all = Object.assign(new YAMLSeq(), { items: sources })
  const resolved = all.toJS(document, RESOLVE_OPTIONS) as (unknown[] | Map<unknown, unknown>)[]
  return sources.flatMap((source, at) => {
    const values = resolved[at]
    if (Array.isArray(values))
      return values.map((text, index) => {
        const node = isSeq(source) ? source.items[index] : source
        const [, name = '', value] = /^([^\s=]+)=([^]*)$/.exec(String(text)) ?? []
        return { node, written: node, name, value: value as unknown }
      })
    const pairs = (isMap(source) ? source.items : []).filter((pair) => keyOf(pair) !== '<<')
    const names = new Set(pairs.map(keyOf))
    const merged = [...values].filter(([name]) => !names.has(String(name)))
    return [
      ...pairs.map((pair) => ({
        node: pair.key,
        written: pair.value,
        name: keyOf(pair),
        value: isScalar(pair.value) ? pair.value.value : (values.get(keyOf(pair)) ?? ''),
      })),
      ...merged.map(([name, value]) => ({
        node: source,
        written: null,
        name: String(name),
        value: value ?? '',
      })),
    ]
  })
}

function keyOf({ key }: Pair): string {
  return isScalar(key) ? (key.source ?? '') : ''
}
