import { router } from '@inertiajs/react'

/** A reading of the page's own address that has not been answered yet. */
export interface Reading {
  cancel(): void
  /** Begins it again. */
  again(): void
}

const readings = new Set<Reading>()

/** Keeps a reading until it is over: a step to another address begins it again. */
export function keepReading(reading: Reading): () => void {
  readings.add(reading)
  return () => void readings.delete(reading)
}

/**
 * Puts what is looked at into the address, as a step of history; the server is asked nothing. What was
 * being read is read anew: its answer would be written over the step, with the address of before.
 * @param changed props that this step of the page has instead
 */
export function step(url: string, changed: Record<string, unknown> = {}) {
  const cut = [...readings]
  for (const reading of cut) reading.cancel()
  router.push({
    url,
    props: (props) => ({ ...props, ...changed }),
    preserveState: true,
    preserveScroll: true,
    onFinish: () => {
      for (const reading of cut) reading.again()
    },
  })
}
