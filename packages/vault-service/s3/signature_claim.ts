import { S3Error } from './errors.js'
import type { S3Address } from './address.js'

/** Maximum lifetime of a presigned URL (S3, "X-Amz-Expires"). */
const MAX_EXPIRES_SECONDS = 604_800

/** A signature with its parameters, as the client sent it. It is not verified yet. */
export interface SignatureClaim {
  accessKeyId: string
  /** Day, region, service and `aws4_request`, separated by slashes. */
  scope: string
  /** Names in lower case. */
  signedHeaders: string[]
  signature: string
  /** Time such as `20130524T000000Z`. */
  timestamp: string
  /** Value of `x-amz-content-sha256`. */
  payload: string
  /** Lifetime of a presigned URL, in seconds from the timestamp. Undefined for other signatures. */
  expires?: number
}

export type HeaderLookup = (name: string) => string | undefined

/**
 * Reads the signature and its parameters from the Authorization header or the query.
 * @throws S3Error if it is not a Signature Version 4
 */
export function parseSignatureClaim(address: S3Address, header: HeaderLookup): SignatureClaim {
  const authorization = header('authorization')
  const query = new Map(address.query.map(([name, value]) => [name.toLowerCase(), value]))
  if (authorization?.startsWith('AWS ') || query.has('awsaccesskeyid')) throw version2NotSupported()
  const token = header('x-amz-security-token') ?? query.get('x-amz-security-token')
  if (token !== undefined) throw tokenNotSupported()
  if (authorization === undefined) return fromQuery(query, header)
  if (query.has('x-amz-signature')) {
    throw new S3Error(
      'InvalidArgument',
      'Send the signature in the header or in the query, not in both.'
    )
  }
  return fromHeader(authorization, header)
}

/**
 * Reads the signature from the fields of a form (S3, "POST Object"). It signs only the form's policy.
 * @param field looks up a field by its name in lower case
 * @throws S3Error if it is not a Signature Version 4
 */
export function parseFormSignatureClaim(field: HeaderLookup): SignatureClaim {
  const malformed = (message: string) => new S3Error('AuthorizationQueryParametersError', message)
  if (field('awsaccesskeyid') !== undefined) throw version2NotSupported()
  if (field('x-amz-security-token') !== undefined) throw tokenNotSupported()
  const wanted = (name: string) => {
    const value = field(name.toLowerCase())
    if (!value) throw new S3Error('AccessDenied', `The form has no field ${name}.`)
    return value
  }
  wanted('policy')
  if (wanted('X-Amz-Algorithm') !== 'AWS4-HMAC-SHA256')
    throw malformed('Sign with AWS4-HMAC-SHA256.')
  return claim(
    {
      credential: wanted('X-Amz-Credential'),
      signedHeaders: 'host',
      signature: wanted('X-Amz-Signature'),
      timestamp: wanted('X-Amz-Date'),
      payload: 'UNSIGNED-PAYLOAD',
    },
    malformed
  )
}

function version2NotSupported(): S3Error {
  return new S3Error(
    'InvalidRequest',
    'Signature version 2 is not supported. Sign with version 4 (AWS4-HMAC-SHA256).'
  )
}

function tokenNotSupported(): S3Error {
  return new S3Error(
    'InvalidToken',
    'Session tokens are not supported. Use an access key of the vault.'
  )
}

function fromHeader(authorization: string, header: HeaderLookup): SignatureClaim {
  const malformed = (message: string) => new S3Error('AuthorizationHeaderMalformed', message)
  const [algorithm, rest = ''] = authorization.split(/ +(.*)/s)
  if (algorithm !== 'AWS4-HMAC-SHA256') throw malformed('Sign with AWS4-HMAC-SHA256.')
  const fields = new Map(
    rest.split(',').map((field) => {
      const [name, value = ''] = field.trim().split(/=(.*)/s)
      return [name, value] as const
    })
  )
  const payload = header('x-amz-content-sha256')
  if (payload === undefined) {
    throw new S3Error('InvalidRequest', 'The header x-amz-content-sha256 is missing.')
  }
  const timestamp = header('x-amz-date') ?? basicDate(header('date'))
  if (!timestamp) throw new S3Error('AccessDenied', 'The header x-amz-date is missing.')
  const wanted = (name: string) => {
    const value = fields.get(name)
    if (!value) throw malformed(`The header Authorization has no ${name}.`)
    return value
  }
  return claim(
    {
      credential: wanted('Credential'),
      signedHeaders: wanted('SignedHeaders'),
      signature: wanted('Signature'),
      timestamp,
      payload,
    },
    malformed
  )
}

function fromQuery(query: Map<string, string>, header: HeaderLookup): SignatureClaim {
  const malformed = (message: string) => new S3Error('AuthorizationQueryParametersError', message)
  const wanted = (name: string) => {
    const value = query.get(name.toLowerCase())
    if (!value) throw malformed(`The address has no ${name}.`)
    return value
  }
  if (wanted('X-Amz-Algorithm') !== 'AWS4-HMAC-SHA256')
    throw malformed('Sign with AWS4-HMAC-SHA256.')
  const expires = Number(wanted('X-Amz-Expires'))
  if (!Number.isInteger(expires) || expires < 1 || expires > MAX_EXPIRES_SECONDS) {
    throw malformed('X-Amz-Expires must be from 1 to 604800 seconds (7 days).')
  }
  const read = claim(
    {
      credential: wanted('X-Amz-Credential'),
      signedHeaders: wanted('X-Amz-SignedHeaders'),
      signature: wanted('X-Amz-Signature'),
      timestamp: wanted('X-Amz-Date'),
      payload:
        header('x-amz-content-sha256') ?? query.get('x-amz-content-sha256') ?? 'UNSIGNED-PAYLOAD',
    },
    malformed
  )
  return { ...read, expires }
}

function claim(
  fields: {
    credential: string
    signedHeaders: string
    signature: string
    timestamp: string
    payload: string
  },
  malformed: (message: string) => S3Error
): SignatureClaim {
  const { credential, signedHeaders, signature, timestamp, payload } = fields
  const match = /^([^/]+)\/((\d{8})\/[^/]+\/([^/]+)\/([^/]+))$/.exec(credential)
  if (!match) throw malformed('Credential must be <access key id>/<day>/<region>/s3/aws4_request.')
  const [, accessKeyId, scope, day, service, end] = match
  if (service !== 's3' || end !== 'aws4_request') {
    throw malformed(`Credential must end with s3/aws4_request, not ${service}/${end}.`)
  }
  if (!/^\d{8}T\d{6}Z$/.test(timestamp))
    throw malformed('X-Amz-Date must have the form 20130524T000000Z.')
  if (!timestamp.startsWith(day))
    throw malformed(`The day in Credential differs from the day in X-Amz-Date.`)
  const names = signedHeaders.toLowerCase().split(';')
  if (!names.includes('host')) throw malformed('SignedHeaders must contain host.')
  return { accessKeyId, scope, signedHeaders: names, signature, timestamp, payload }
}

function basicDate(text: string | undefined): string | undefined {
  const time = Date.parse(text ?? '')
  return Number.isNaN(time) ? undefined : new Date(time).toISOString().replace(/[-:]|\.\d+/g, '')
}

/**
 * Returns the time in milliseconds since 1970.
 * @param timestamp such as `20130524T000000Z`
 */
export function parseSignatureTime(timestamp: string): number {
  return Date.parse(timestamp.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'))
}
