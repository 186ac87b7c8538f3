import { allModules, type SampleDataContext } from '#core/modules'

export async function makeSampleData(report: SampleDataContext['report']): Promise<void> {
  const sample: SampleDataContext = { customers: [], report }
  for (const { sampleData } of allModules()) await (await sampleData?.())?.default(sample)
}
