import type { CorsRule } from '../types.js'

type Headers = Record<string, string>

/** CORS rules for signed links: pages of every origin may use them, because the signature controls access. */
export const anyOriginRules: CorsRule[] = [
  {
    origins: ['*'],
    methods: ['GET', 'HEAD', 'PUT'],
    headers: ['*'],
    exposed: ['ETag', 'Content-Length', 'Content-Range', 'Accept-Ranges'],
    maxAge: 3600,
  },
]

/**
 * Returns the headers that let a page of `origin` read the response (Fetch standard, "CORS protocol"). The first
 * rule that allows both origin and method applies. Sets `Vary: Origin` if a rule does not allow every origin.
 */
export function corsHeaders(
  rules: CorsRule[],
  origin: string | undefined,
  method: string
): Headers {
  const headers: Headers = variesByOrigin(rules) ? { Vary: 'Origin' } : {}
  const rule = rules.find((one) => allows(one, origin, method))
  if (!rule) return headers
  headers['Access-Control-Allow-Origin'] = allowedOrigin(rule, origin)
  if (rule.exposed.length > 0) headers['Access-Control-Expose-Headers'] = rule.exposed.join(', ')
  return headers
}

/**
 * Returns the headers of a preflight response, or undefined if no rule allows the request.
 * @param requestedHeaders `Access-Control-Request-Headers`
 */
export function preflightHeaders(
  rules: CorsRule[],
  origin: string,
  method: string,
  requestedHeaders = ''
): Headers | undefined {
  const names = requestedHeaders
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => /^[\w!#$%&'*+.^`|~-]+$/.test(name))
  const rule = rules.find((one) => allows(one, origin, method) && allowsHeaders(one, names))
  if (!rule) return undefined
  return {
    'Access-Control-Allow-Origin': allowedOrigin(rule, origin),
    'Access-Control-Allow-Methods': rule.methods.join(', '),
    ...(names.length > 0 && { 'Access-Control-Allow-Headers': names.join(', ') }),
    'Access-Control-Max-Age': String(rule.maxAge),
    Vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
  }
}

function variesByOrigin(rules: CorsRule[]): boolean {
  return rules.some(({ origins }) => !origins.includes('*'))
}

function allowedOrigin(rule: CorsRule, origin = '*'): string {
  return rule.origins.includes('*') ? '*' : origin
}

/**
 * Returns whether a rule allows a request. A rule for every origin also allows requests without one, such as those for
 * images: a page may use the browser's copy of such a response, and needs its headers.
 */
function allows(rule: CorsRule, origin: string | undefined, method: string): boolean {
  const isMethod = rule.methods.some((one) => one === method)
  return isMethod && rule.origins.some((pattern) => matches(pattern, origin))
}

/**
 * Returns whether a pattern matches an origin. The pattern `*` matches every origin. One `*` within a pattern matches
 * one or more letters, digits, `_`, `.` and `-`, but no colon or slash. A second `*` is not supported.
 */
function matches(pattern: string, origin: string | undefined): boolean {
  if (pattern === '*') return true
  if (origin === undefined) return false
  const [before, after] = pattern.toLowerCase().split('*')
  const sent = origin.toLowerCase()
  if (after === undefined) return sent === before
  if (!sent.startsWith(before) || !sent.endsWith(after)) return false
  return /^[a-z0-9_.-]+$/.test(sent.slice(before.length, sent.length - after.length))
}

function allowsHeaders(rule: CorsRule, names: string[]): boolean {
  if (rule.headers.includes('*')) return true
  const known = new Set(rule.headers.map((name) => name.toLowerCase()))
  return names.every((name) => known.has(name))
}
