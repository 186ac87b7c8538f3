/** What sample data of one domain needs of those below it. */
export interface Sample {
  /** Ids of the sample customers, oldest first. */
  customers: number[]
  /** What was made, in words, for the terminal. */
  tell(line: string): void
}

type Part = (sample: Sample) => Promise<void>

const parts: Part[] = []

/**
 * A domain adds its part of `./berth up --demo`. Parts run in the order of the domains' ranks, must
 * be able to run again, and mark what they make as sample data where people see it.
 */
export function addSampleData(part: Part): void {
  parts.push(part)
}

/** Makes the sample data of all domains. */
export async function makeSampleData(tell: Sample['tell']): Promise<void> {
  const sample: Sample = { customers: [], tell }
  for (const part of parts) await part(sample)
}
