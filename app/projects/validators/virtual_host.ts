import {
  digitsOnly,
  emptyToNull,
  formatRule,
  onlyIn,
  problemRule,
  wholeNumberSchema,
} from '#core/field_rules'
import { withMessages } from '#core/validation_messages'
import { findDomainNameProblem, normalizeDomainName } from '#edge/public'
import { parseRelativeWebFolder } from '#guest/public'
import { APACHE_TLS_PORT, isDeniedDotFolder } from '#packages/apache/main'
import { type PhpLimit, phpLimits } from '#projects/virtual_host/php_pool'
import {
  MAX_ADDITIONAL_DOMAINS,
  ADDITIONAL_DOMAIN_USES,
  type UrlType,
  urlTypes,
  type VirtualHostType,
  virtualHostTypes,
} from '#projects/virtual_host/virtual_host_types'
import vine from '@vinejs/vine'
import type { FieldContext } from '@vinejs/vine/types'

type Sent = Record<string, unknown>

const EMAIL_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@[A-Za-z0-9][A-Za-z0-9.-]{0,252}$/

/** Ports that the instance itself uses: SSH and the web server. */
const RESERVED_PORTS = [22, 80, 443, APACHE_TLS_PORT]

const typeHas =
  (part: 'entryPoint' | 'proxy' | 'php') =>
  ({ type }: Sent) =>
    typeof type === 'string' &&
    Object.hasOwn(virtualHostTypes, type) &&
    virtualHostTypes[type as VirtualHostType][part]

const hasDomain = (host: Sent) => host.url_type === 'subdomain'
const hasPort = (host: Sent) => host.url_type === 'port' && !typeHas('proxy')(host)

const portSchema = (hasField: (host: Sent) => boolean) =>
  wholeNumberSchema()
    .parse((value, field) => digitsOnly(onlyIn(hasField)(value, field)))
    .range([1, 65_535])
    .use(problemRule(findReservedPort))
    .nullable()

/** An empty field becomes the default. */
const limitSchema = (name: PhpLimit) =>
  wholeNumberSchema()
    .parse((value, { parent }) =>
      typeHas('php')(parent) ? digitsOnly(emptyToNull(value) ?? phpLimits[name].usual) : undefined
    )
    .range([phpLimits[name].least, phpLimits[name].most])
    .optional()

/**
 * Rejects values that could end a line, a quoted string or a section of Apache's configuration. Ignores fields that the
 * type of virtual host does not have.
 */
export const virtualHostValidator = withMessages(
  vine.create({
    type: vine.enum(Object.keys(virtualHostTypes) as VirtualHostType[]),
    url_type: vine.enum(Object.keys(urlTypes) as UrlType[]),
    server_admin: vine.string().regex(EMAIL_PATTERN),
    reverse_proxy_port: portSchema(typeHas('proxy')),
    entry_point: vine
      .string()
      .parse((value, { parent }) => (typeHas('entryPoint')(parent) ? (value ?? '') : ''))
      .use(formatRule(parseEntryPoint)),
    subdomain: vine
      .string()
      .parse((value, { parent }) => (hasDomain(parent) ? textOf(value) : null))
      .use(problemRule(findDomainNameProblem))
      .use(formatRule(normalizeDomainName))
      .nullable(),
    url_port: portSchema(hasPort),
    other_names: vine
      .array(
        vine.object({
          name: vine
            .string()
            .parse(textOf)
            .use(problemRule(findDomainNameProblem))
            .use(formatRule(normalizeDomainName))
            .use(problemRule(findRepeatedName)),
          use: vine.enum(ADDITIONAL_DOMAIN_USES),
        })
      )
      .parse((value, { parent }) => (hasDomain(parent) ? value : undefined))
      .maxLength(MAX_ADDITIONAL_DOMAINS)
      .optional(),
    https_redirect: vine
      .boolean()
      .parse((value, { parent }) => (hasDomain(parent) ? value : undefined))
      .optional(),
    php_upload_mb: limitSchema('php_upload_mb'),
    php_memory_mb: limitSchema('php_memory_mb'),
    php_seconds: limitSchema('php_seconds'),
    php_version: vine
      .string()
      .parse((value, { parent }) =>
        typeHas('php')(parent) ? (emptyToNull(value) ?? null) : undefined
      )
      .regex(/^\d{1,2}\.\d{1,2}$/)
      .nullable()
      .optional(),
  }),
  {
    'type.invalid': 'Choose the type of the virtual host.',
    'url_type.invalid': 'Choose how the site is reached.',
    'server_admin.invalid': 'Enter the email of the server admin.',
    'reverse_proxy_port.invalid': 'Enter the port that the app listens on, from 1 to 65535.',
    'entry_point.invalid':
      'Enter a folder within the project, for example public or .output/public.',
    'url_port.invalid': 'Enter a port from 1 to 65535.',
    'other_names.array.maxLength': `A site can have at most ${MAX_ADDITIONAL_DOMAINS} additional domains.`,
    'other_names.*.use.invalid': 'Choose whether the domain serves the site or redirects.',
    'php_upload_mb.invalid': `Enter ${phpLimits.php_upload_mb.words}.`,
    'php_memory_mb.invalid': `Enter ${phpLimits.php_memory_mb.words}.`,
    'php_seconds.invalid': `Enter ${phpLimits.php_seconds.words}.`,
    'php_version.invalid': 'Choose a version of PHP.',
  }
)

export const virtualHostChangeValidator = withMessages(
  vine.create({ virtual_host: vine.object({}).allowUnknownProperties() }),
  { 'virtual_host.invalid': 'Fill in the fields of the virtual host.' }
)

function findReservedPort(port: number): string | null {
  return RESERVED_PORTS.includes(port)
    ? `Port ${port} is used by the server instance itself. Choose another.`
    : null
}

/**
 * Returns an error if the domain equals the primary or an earlier domain, because a redirect of a domain to itself
 * would loop.
 */
function findRepeatedName(name: string, field: FieldContext): string | null {
  const { subdomain, other_names: others } = field.data as {
    subdomain: unknown
    other_names: Sent[]
  }
  const isName = (sent: unknown) => normalizeDomainName(textOf(sent)) === name
  if (isName(subdomain)) return `${name} is already the primary domain.`
  const index = Number(field.getFieldPath().split('.')[1])
  return others.slice(0, index).some((other) => isName(other?.name))
    ? `${name} is already in the list.`
    : null
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function parseEntryPoint(sent: string): string | null {
  const text = sent.trim()
  if (/^\.?\/*$/.test(text)) return ''
  if (text.startsWith('/var/')) return null
  const folder = parseRelativeWebFolder(text, { dotNames: true })
  return folder === null || isDeniedDotFolder(folder) ? null : folder
}
