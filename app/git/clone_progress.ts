import { LineSplitter } from '#packages/machine/main'
import type { Readable } from 'node:stream'

const PROGRESS_INTERVAL_MS = 500
const MAX_STDERR_BYTES = 8_192

/** Phases of a clone, as git names them. `from` and `share` are fractions of the total progress. */
const parts: Record<string, { label: string; from: number; share: number }> = {
  'Receiving objects': { label: 'Receiving', from: 0, share: 0.8 },
  'Resolving deltas': { label: 'Resolving changes', from: 0.8, share: 0.1 },
  'Updating files': { label: 'Writing files', from: 0.9, share: 0.1 },
}

/** Parses a line of `git clone --progress`. Returns null if the line shows no progress. */
export function parseCloneProgress(line: string): { note: string; progress: number } | null {
  const match = /^([A-Z][a-z]+ [a-z]+):\s+(\d{1,3})% \(\d+\/\d+\)(?:, ([\d.]+ [KMG]?i?B))?/.exec(
    line
  )
  const part = match && parts[match[1]]
  if (!part) return null
  const percent = Math.min(Number(match[2]), 100)
  const amount = match[3] ? `, ${match[3]}` : ''
  return {
    note: `${part.label} ${percent}%${amount}`,
    progress: part.from + (part.share * percent) / 100,
  }
}

/** Returns the last part of stderr. */
export async function reportCloneProgress(
  stderr: Readable,
  report: (note: string, progress: number) => Promise<void>
): Promise<string> {
  let tail = ''
  const cutter = new LineSplitter({ maxLineLength: MAX_STDERR_BYTES, returns: true })
  let reportedAt = 0
  for await (const chunk of stderr) {
    tail = (tail + String(chunk)).slice(-MAX_STDERR_BYTES)
    const latest = cutter
      .push(chunk)
      .map(parseCloneProgress)
      .findLast((progress) => progress !== null)
    if (!latest || Date.now() - reportedAt < PROGRESS_INTERVAL_MS) continue
    reportedAt = Date.now()
    await report(latest.note, latest.progress)
  }
  return tail
}
