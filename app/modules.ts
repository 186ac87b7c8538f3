import type { Module } from '#core/modules'
import modules from './modules.json' with { type: 'json' }

/** Everything that Berth is made of, lowest rank first: `app/<name>/module.ts` of each. */
export function loadModules(): Promise<Module[]> {
  return Promise.all(
    modules.flat().map(async (name) => {
      const { default: module } = (await import(`#${name}/module`)) as { default: Module }
      return module
    })
  )
}
