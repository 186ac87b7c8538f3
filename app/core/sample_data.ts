import { allModules, type SampleDataContext } from '#core/modules'

/** Creates the sample data of all modules, lowest rank first. */
export async function makeSampleData(report: SampleDataContext['report']): Promise<void> {
  const sample: SampleDataContext = { customers: [], report }
  for (const { sampleData } of allModules()) await (await sampleData?.())?.default(sample)
}
