import type { Domain } from '#core/domains'
import ranks from './ranks.json' with { type: 'json' }

/** Everything that Berth is made of, lowest rank first: `app/<name>/domain.ts` of each. */
export function loadDomains(): Promise<Domain[]> {
  return Promise.all(
    ranks.flat().map(async (name) => {
      const { default: domain } = (await import(`#${name}/domain`)) as { default: Domain }
      return domain
    })
  )
}
