import { allModules, type Sample } from '#core/modules'

/** Makes the sample data of all domains, lower ranks first. */
export async function makeSampleData(tell: Sample['tell']): Promise<void> {
  const sample: Sample = { customers: [], tell }
  for (const { sampleData } of allModules()) await (await sampleData?.())?.default(sample)
}
