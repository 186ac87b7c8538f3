export interface ResultRow {
  case: string
  /** Unit of `ours` (Berth) and `against` (reference), such as `ms`, `MB/s` or `requests/s`. */
  unit: string
  ours: number
  against: number | null
  reference: string
  /** `ours` divided by `against`. `null` if there is no reference, or `against` is 0. */
  ratio: number | null
  /**
   * Goal: `<= 1.2x` limits the ratio, `<= 75` limits `ours`. Empty: the row has no goal and is only for information.
   */
  goal: string
  met: boolean
}

/** The default export of a benchmark's file. `say` prints a progress message. */
export interface Bench {
  name: string
  run(context: { say: (line: string) => void }): Promise<ResultRow[]>
}

export function median(numbers: number[]): number {
  return percentile(numbers, 50)
}

/** Returns a percentile, interpolated linearly between two neighbours. */
export function percentile(numbers: number[], percent: number): number {
  if (numbers.length === 0) throw new Error('No numbers')
  const sorted = [...numbers].sort((a, b) => a - b)
  const at = ((sorted.length - 1) * percent) / 100
  const below = sorted[Math.floor(at)]
  return below + (sorted[Math.ceil(at)] - below) * (at - Math.floor(at))
}

/**
 * Runs the measurements in alternation, so that other load on the machine affects all of them equally. Every second
 * round runs in reverse order. Before the `rounds` rounds, one more warms up. Its results are dropped.
 */
export async function interleave<Name extends string>(
  rounds: number,
  measurements: Record<Name, () => Promise<number>>
): Promise<Record<Name, number[]>> {
  const names = Object.keys(measurements) as Name[]
  const numbers = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<
    Name,
    number[]
  >
  for (let round = -1; round < rounds; round++) {
    for (const name of round % 2 ? [...names].reverse() : names) {
      const number = await measurements[name]()
      if (round >= 0) numbers[name].push(number)
    }
  }
  return numbers
}

export async function measureMs(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

/** @throws Error if `work` takes longer than `most` milliseconds. `work` is not stopped then. */
export async function measureMsWithin(most: number, work: () => Promise<unknown>): Promise<number> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`A measurement took more than ${most} ms`)), most)
  })
  try {
    return await measureMs(() => Promise.race([work(), late]))
  } finally {
    clearTimeout(timer)
  }
}

/** Creates a row of the result. Computes the ratio, and whether the goal is met. */
export function resultRow(
  measured: Pick<ResultRow, 'case' | 'unit' | 'ours'> & {
    against?: number
    reference?: string
    goal?: string
  }
): ResultRow {
  const { against = null, reference = '', goal = '' } = measured
  const ratio = against === null || against === 0 ? null : measured.ours / against
  return {
    case: measured.case,
    unit: measured.unit,
    ours: measured.ours,
    against,
    reference,
    ratio,
    goal,
    met: meets(goal, measured.ours, ratio),
  }
}

function meets(goal: string, ours: number, ratio: number | null): boolean {
  if (!goal) return true
  const parsed = /^(<=|>=|<|>|=)\s*([\d.]+)\s*(x?)/.exec(goal)
  if (!parsed) throw new Error(`A goal looks like "<= 1.2x" or "<= 75", not "${goal}"`)
  const [, sign, text, times] = parsed
  const value = times ? ratio : ours
  if (value === null) return false
  const bound = Number(text)
  switch (sign) {
    case '<=':
      return value <= bound
    case '>=':
      return value >= bound
    case '<':
      return value < bound
    case '>':
      return value > bound
    default:
      return value === bound
  }
}
