import ts from 'typescript'
import { ALLOWED_NAMES } from './allowed.js'
import { NAME_TERMS, PHRASES } from './terms.js'

/** A word or phrase that a stranger would have to decode. */
export interface ProseProblem {
  path: string
  /** From 1. */
  line: number
  /** The name or the text that contains it. */
  text: string
  /** The word or phrase. */
  term: string
  better: string
}

/** Splits a name in camelCase, snake_case or UPPER_CASE into words in lower case. */
function wordsIn(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
}

const isAllowed = (path: string, name: string) =>
  ALLOWED_NAMES.some((each) => path.startsWith(each.path ?? '') && each.names.includes(name))

/** Returns the problems of a file's own name, and of its folder's. */
export function problemsOfPath(path: string): ProseProblem[] {
  return problemsOfName(path, path, 1)
}

function problemsOfName(path: string, name: string, line: number): ProseProblem[] {
  if (isAllowed(path, name)) return []
  return wordsIn(name)
    .filter((word) => Object.hasOwn(NAME_TERMS, word))
    .map((term) => ({ path, line, text: name, term, better: NAME_TERMS[term] }))
}

/** Returns the problems of the names that a TypeScript file declares, and of the texts in it. */
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
  return problems
}

/**
 * Returns the name that a node declares. A name that repeats one of another declaration is not one: fields of
 * object literals, and variables destructured under the name of their field.
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

/** Returns the text of a string, a template or JSX; a space stands for each value in it. */
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

/** The only file with the values of Bangladesh. All others read the regional settings (decision 0069). */
const REGIONAL_DEFAULTS_PATH = 'app/core/settings/regional_settings.ts'
const REGIONAL_PATTERN = /Asia\/Dhaka|1\.0175|৳|\b1\.75\s?%/g

/** Returns the places where code names a currency, a fee or a time zone that is a setting. */
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

/** Returns the problems of a Markdown file outside of its code. */
export function problemsOfDocument(path: string, source: string): ProseProblem[] {
  let isCode = false
  return source.split('\n').flatMap((line, index) => {
    if (line.startsWith('```')) isCode = !isCode
    return isCode ? [] : problemsOfText(path, line.replace(/`[^`]*`/g, ' '), index + 1)
  })
}
