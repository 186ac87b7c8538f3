import { allModules, type SampleDataContext } from '#core/modules'

/** Creates data in order of rank, lowest first. */
export async function makeSampleData(report: SampleDataContext['report']): Promise<void> {
  const sample: SampleDataContext = { customers: [], report }
  for (const { sampleData } of allModules()) await (await sampleData?.())?.default(sample)
}
