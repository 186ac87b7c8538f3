import { S3Error } from './errors.js'

/**
 * Conditions for an upload by a form. The owner of an access key signs them, so that other people can upload (S3,
 * "Creating a POST policy").
 */
export interface PostPolicy {
  /** Milliseconds since 1970. */
  expiresAt: number
  conditions: FieldCondition[]
  /** Minimum size of the file in bytes. */
  minBytes: number
  maxBytes: number
}

interface FieldCondition {
  operator: 'eq' | 'starts-with'
  /** In lower case. */
  field: string
  value: string
  /** The condition as JSON, for error messages. */
  text: string
}

/** Fields for which the policy needs no condition. The file does not count as a field. */
const UNCONDITIONAL_FIELDS = /^(policy|x-amz-signature|x-ignore-.*)$/

/**
 * @param encoded JSON in base64
 * @throws S3Error InvalidPolicyDocument
 */
export function parsePostPolicy(encoded: string): PostPolicy {
  const document = parseObject(encoded)
  const { expiration, conditions } = document
  const expiresAt = typeof expiration === 'string' ? Date.parse(expiration) : Number.NaN
  if (Number.isNaN(expiresAt)) {
    throw invalidPolicy('"expiration" must be a time such as 2030-01-31T12:00:00.000Z.')
  }
  if (!Array.isArray(conditions)) throw invalidPolicy('"conditions" must be a list.')
  const policy: PostPolicy = { expiresAt, conditions: [], minBytes: 0, maxBytes: Infinity }
  for (const condition of conditions as unknown[]) addCondition(policy, condition)
  return policy
}

function parseObject(encoded: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(encoded, 'base64').toString('utf8'))
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  } catch {}
  throw invalidPolicy('It must be a JSON object in base64.')
}

function addCondition(policy: PostPolicy, condition: unknown): void {
  const text = JSON.stringify(condition)
  const add = (operator: FieldCondition['operator'], name: string, value: unknown) => {
    if (typeof value !== 'string' && typeof value !== 'number') {
      throw invalidPolicy(`The value of the condition ${text} must be a string.`)
    }
    const field = name.toLowerCase()
    policy.conditions.push({ operator, field, value: String(value), text })
  }
  if (!Array.isArray(condition)) {
    if (typeof condition !== 'object' || condition === null) {
      throw invalidPolicy(`The condition ${text} must be an object or a list.`)
    }
    for (const [name, value] of Object.entries(condition)) add('eq', name, value)
    return
  }
  const [operator, first, second] = condition as unknown[]
  if (operator === 'content-length-range') {
    const [min, max] = [Number(first), Number(second)]
    if (!(min >= 0 && max >= min)) {
      throw invalidPolicy(`The condition ${text} must have a minimum and a maximum size.`)
    }
    policy.minBytes = Math.max(policy.minBytes, min)
    policy.maxBytes = Math.min(policy.maxBytes, max)
  } else if ((operator === 'eq' || operator === 'starts-with') && /^\$./.test(String(first))) {
    add(operator, String(first).slice(1), second)
  } else {
    throw invalidPolicy(`The condition ${text} is not known.`)
  }
}

/**
 * @param fields names in lower case. `key` is the final name of the object
 * @param bucket bucket in the request's path, which the form need not repeat
 * @throws S3Error AccessDenied for an expired policy, a condition that does not hold, or a field without a condition
 */
export function assertPolicyAllows(
  policy: PostPolicy,
  fields: ReadonlyMap<string, string>,
  bucket: string,
  now = Date.now()
): void {
  if (now > policy.expiresAt) throw deniedByPolicy('Policy expired.')
  if (fields.has('bucket') && fields.get('bucket') !== bucket) {
    throw deniedByPolicy('The field "bucket" differs from the bucket in the address.')
  }
  for (const { operator, field, value, text } of policy.conditions) {
    const sent = field === 'bucket' ? bucket : (fields.get(field) ?? '')
    const holds = operator === 'eq' ? sent === value : startsWith(field, sent, value)
    if (!holds) throw deniedByPolicy(`Policy Condition failed: ${text}`)
  }
  const named = new Set(policy.conditions.map(({ field }) => field))
  const extra = [...fields.keys()].filter(
    (name) => !UNCONDITIONAL_FIELDS.test(name) && name !== 'bucket' && !named.has(name)
  )
  if (extra.length) throw deniedByPolicy(`Extra input fields: ${extra.join(', ')}`)
}

/**
 * Returns whether the value of a field starts with a text. `Content-Type` may be a list separated by commas. In this
 * case, each type must start with the text.
 */
function startsWith(field: string, sent: string, beginning: string): boolean {
  if (field !== 'content-type') return sent.startsWith(beginning)
  return sent.split(',').every((value) => value.trim().startsWith(beginning))
}

function invalidPolicy(message: string): S3Error {
  return new S3Error(
    'InvalidPolicyDocument',
    `The content of the form's policy is not valid. ${message}`
  )
}

function deniedByPolicy(message: string): S3Error {
  return new S3Error('AccessDenied', `Invalid according to Policy: ${message}`)
}
