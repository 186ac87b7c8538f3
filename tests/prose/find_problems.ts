import { type Token, marked } from 'marked'
import ts from 'typescript'
import { ALLOWED_NAMES } from './allowed.js'
import { NAME_TERMS, PHRASES } from './terms.js'

/** A word or phrase that a stranger would have to decode, a regional value, or a text with long sentences. */
export interface ProseProblem {
  path: string
  /** Line number, counted from 1. */
  line: number
  /** The name that contains `term`, or the beginning of the text in which the problem was found. */
  text: string
  term: string
  better: string
}

/** Splits camelCase, snake_case or UPPER_CASE into words in lower case. */
function wordsIn(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
}

const isAllowed = (path: string, name: string) =>
  ALLOWED_NAMES.some((each) => path.startsWith(each.path ?? '') && each.names.includes(name))

/** Returns problems in the names of a file and of all its folders. */
export function problemsOfPath(path: string): ProseProblem[] {
  return problemsOfName(path, path, 1)
}

function problemsOfName(path: string, name: string, line: number): ProseProblem[] {
  if (isAllowed(path, name)) return []
  return wordsIn(name)
    .filter((word) => Object.hasOwn(NAME_TERMS, word))
    .map((term) => ({ path, line, text: name, term, better: NAME_TERMS[term] }))
}

export function problemsOfCode(path: string, source: string): ProseProblem[] {
  const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true, kind)
  const problems: ProseProblem[] = []
  const lineOf = (node: ts.Node) => file.getLineAndCharacterOfPosition(node.getStart()).line + 1
  const visit = (node: ts.Node) => {
    if (ts.isImportDeclaration(node)) {
      if (node.importClause) visit(node.importClause)
      return
    }
    const name = declaredName(node)
    if (name) problems.push(...problemsOfName(path, name.text, lineOf(name)))
    const text = textOf(node)
    if (text) problems.push(...problemsOfText(path, text, lineOf(node)))
    ts.forEachChild(node, visit)
  }
  visit(file)
  return problems.concat(problemsOfComments(path, source))
}

export function problemsOfComments(path: string, source: string): ProseProblem[] {
  const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true, kind)
  const comments = new Map<number, ts.CommentRange>()
  const visit = (node: ts.Node) => {
    const before = ts.getLeadingCommentRanges(source, node.getFullStart()) ?? []
    const after = ts.getTrailingCommentRanges(source, node.getEnd()) ?? []
    for (const range of [...before, ...after]) comments.set(range.pos, range)
    for (const child of node.getChildren(file)) if (!ts.isJsxText(child)) visit(child)
  }
  visit(file)
  return Array.from(comments.values(), ({ pos, end }) => {
    const text = source.slice(pos, end).replace(/`[^`]*`/g, ' ')
    const line = file.getLineAndCharacterOfPosition(pos).line + 1
    return problemsOfText(path, text.replace(/\s*\n\s*(?:\*|\/\/)?\s*/g, ' '), line)
  }).flat()
}

/**
 * Returns the name that a node declares. Ignores names that only repeat the name of another declaration: fields of
 * object literals, imports without a new name, and variables destructured under the name of their field.
 */
function declaredName(node: ts.Node): ts.Identifier | ts.PrivateIdentifier | null {
  if (ts.isBindingElement(node) && !node.propertyName && ts.isObjectBindingPattern(node.parent)) {
    return null
  }
  const isDeclaration =
    (ts.isImportSpecifier(node) && node.propertyName) ||
    ts.isImportClause(node) ||
    ts.isNamespaceImport(node) ||
    ts.isVariableDeclaration(node) ||
    ts.isParameter(node) ||
    ts.isBindingElement(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isTypeParameterDeclaration(node) ||
    ts.isEnumDeclaration(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isMethodSignature(node) ||
    ts.isAccessor(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isPropertySignature(node)
  if (!isDeclaration || !node.name) return null
  return ts.isIdentifier(node.name) || ts.isPrivateIdentifier(node.name) ? node.name : null
}

/** Returns the text of a string, a template or JSX. Each inserted value becomes a space. */
function textOf(node: ts.Node): string | null {
  if (ts.isStringLiteralLike(node)) return node.text
  if (ts.isJsxText(node)) return node.text.replace(/\s+/g, ' ')
  if (!ts.isTemplateExpression(node)) return null
  return [node.head, ...node.templateSpans.map(({ literal }) => literal)]
    .map(({ text }) => text)
    .join(' ')
}

const PHRASE_PATTERN = new RegExp(`\\b(?:${Object.keys(PHRASES).join('|')})\\b`, 'gi')

function problemsOfText(path: string, text: string, line: number): ProseProblem[] {
  return Array.from(text.matchAll(PHRASE_PATTERN), ([phrase]) => {
    const term = phrase.toLowerCase()
    return { path, line, text: text.trim().slice(0, 100), term, better: PHRASES[term] }
  })
}

/** The only file that may contain values of Bangladesh. All other files read the regional settings (decision 0069). */
const REGIONAL_DEFAULTS_PATH = 'app/core/settings/regional_settings.ts'
const REGIONAL_PATTERN = /Asia\/Dhaka|1\.0175|৳|\b1\.75\s?%/g

/** Finds code that names a currency, a fee or a time zone instead of reading the setting. */
export function regionalProblems(path: string, source: string): ProseProblem[] {
  if (path === REGIONAL_DEFAULTS_PATH) return []
  return source.split('\n').flatMap((text, index) =>
    Array.from(text.matchAll(REGIONAL_PATTERN), ([term]) => ({
      path,
      line: index + 1,
      text: text.trim().slice(0, 100),
      term,
      better: 'the regional settings',
    }))
  )
}

const MAX_SENTENCE_WORDS = 30
/** Maximum median of the words per sentence of a document. */
const MAX_MEDIAN_WORDS = 18

/** Finds forbidden phrases and long sentences in a Markdown file, outside of its code blocks and inline code. */
export function problemsOfDocument(path: string, source: string): ProseProblem[] {
  let isCode = false
  const phrases = source.split('\n').flatMap((line, index) => {
    if (line.startsWith('```')) isCode = !isCode
    return isCode ? [] : problemsOfText(path, line.replace(/`[^`]*`/g, ' '), index + 1)
  })
  return [...phrases, ...problemsOfLength(path, source)]
}

function problemsOfLength(path: string, source: string): ProseProblem[] {
  const sentences = paragraphsOf(marked.lexer(source)).flatMap(sentencesOf)
  const lengths = sentences.map(countWords).sort((a, b) => a - b)
  const problems = sentences
    .filter((sentence) => countWords(sentence) > MAX_SENTENCE_WORDS)
    .map((sentence) => ({
      path,
      line: lineOfText(source, sentence),
      text: sentence.slice(0, 100),
      term: `${countWords(sentence)} words`,
      better: `sentences of at most ${MAX_SENTENCE_WORDS} words`,
    }))
  const median = lengths[Math.floor(lengths.length / 2)] ?? 0
  if (median > MAX_MEDIAN_WORDS) {
    const better = `shorter sentences, with a median of at most ${MAX_MEDIAN_WORDS} words`
    problems.push({ path, line: 1, text: path, term: `a median of ${median} words`, better })
  }
  return problems
}

/** Returns paragraphs and list items, without headings, tables, code and HTML. */
function paragraphsOf(tokens: Token[]): string[] {
  return tokens.flatMap((token): string[] => {
    if (token.type === 'paragraph' || token.type === 'text') return [plainText(token)]
    if (token.type === 'list') {
      return (token.items as { tokens: Token[] }[]).flatMap((item) => paragraphsOf(item.tokens))
    }
    return token.type === 'blockquote' ? paragraphsOf(token.tokens ?? []) : []
  })
}

/** Stands for inline code in a sentence: it counts as one word, which may begin a sentence. */
const CODE = 'Code'

function plainText(token: Token): string {
  if (token.type === 'codespan') return CODE
  if (token.type === 'html') return ''
  if (!('tokens' in token) || !token.tokens) return 'text' in token ? String(token.text) : ''
  return token.tokens.map(plainText).join('')
}

const sentenceSegmenter = new Intl.Segmenter('en', { granularity: 'sentence' })

/** Splits a paragraph into sentences. A colon ends a sentence too, because a list or an example follows it. */
function sentencesOf(paragraph: string): string[] {
  const text = paragraph.replace(/\s+/g, ' ')
  return Array.from(sentenceSegmenter.segment(text), ({ segment }) => segment)
    .flatMap((sentence) => sentence.split(/(?<=:) /))
    .map((sentence) => sentence.trim())
    .filter(Boolean)
}

const countWords = (sentence: string) =>
  sentence.split(' ').filter((word) => /\w/.test(word)).length

/**
 * Returns the number of the first line that contains the first words of a sentence. Returns 1 if no line does, for
 * example because of markup or a line break between the words.
 */
function lineOfText(source: string, sentence: string): number {
  const start = sentence.split(CODE)[0].trim().split(' ').slice(0, 4).join(' ')
  const index = source.split('\n').findIndex((line) => line.includes(start))
  return Math.max(index, 0) + 1
}
