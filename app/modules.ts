import { loadModulePart, type Module } from '#core/modules'
import modules from './modules.json' with { type: 'json' }

/** Loads `app/<name>/module.ts` of all modules, lowest rank first. */
export async function loadModules(): Promise<Module[]> {
  const loaded = await Promise.all(
    modules.flat().map((name) =>
      loadModulePart(name, async () => {
        const { default: module } = (await import(`#${name}/module`)) as { default: Module }
        return module
      })
    )
  )
  return loaded.filter((module) => module !== undefined)
}
