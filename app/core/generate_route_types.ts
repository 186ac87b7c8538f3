import router from '@adonisjs/core/services/router'

const FILE_HEADER = `/**
 * Written by \`./berth check\` and \`./berth dev\` from the routes of the server (docs/decisions/0021). An address is
 * written out where it is used; one that the server does not know fails the types.
 */
`

const FILE_FOOTER = `/** Where a link leads: a page, with its query where it has one. */
export type PageHref = GetRoutePath | \`\${GetRoutePath}?\${string}\`
`

/**
 * Returns the source of TypeScript types of URLs: for GET requests, for other requests, and for links. Numeric route
 * parameters have the type number. Routes with `*` are missing.
 */
export function generateRouteTypes(): string {
  router.commit()
  const routes = Object.values(router.toJSON())
    .flat()
    .filter(({ pattern }) => !pattern.includes('*'))
  const union = (isWanted: (methods: string[]) => boolean) => {
    const known = routes.filter(({ methods }) => isWanted(methods)).map(addressOf)
    return [...new Set(known)]
      .sort()
      .map((address) => `\n  | ${address}`)
      .join('')
  }
  const reads = union((methods) => methods.includes('GET'))
  const changes = union((methods) => !methods.includes('GET'))
  return `${FILE_HEADER}export type GetRoutePath =${reads}\n\nexport type NonGetRoutePath =${changes}\n\n${FILE_FOOTER}`
}

function addressOf({ pattern, matchers }: { pattern: string; matchers: Matchers }): string {
  const parts = pattern.split('/').map((part) => {
    if (!part.startsWith(':')) return part
    return matchers[part.slice(1)]?.match?.test('text') === false ? '${number}' : '${string}'
  })
  const address = parts.join('/')
  return address.includes('$') ? `\`${address}\`` : `'${address}'`
}

type Matchers = Record<string, { match?: RegExp }>
