import { LineCutter } from '#packages/machine/main'
import type { Readable } from 'node:stream'

/** How often people are told, in milliseconds. */
const PROGRESS_INTERVAL_MS = 500
/** Of stderr, the end is kept, in bytes. */
const MAX_STDERR_BYTES = 8_192

/** The parts of a clone, in git's words, with where each begins and how much of the whole it is. */
const parts: Record<string, { words: string; from: number; share: number }> = {
  'Receiving objects': { words: 'Receiving', from: 0, share: 0.8 },
  'Resolving deltas': { words: 'Resolving changes', from: 0.8, share: 0.1 },
  'Updating files': { words: 'Writing files', from: 0.9, share: 0.1 },
}

/** What one line of `git clone --progress` says; null for lines that say nothing of it. */
export function progressOf(line: string): { note: string; progress: number } | null {
  const found = /^([A-Z][a-z]+ [a-z]+):\s+(\d{1,3})% \(\d+\/\d+\)(?:, ([\d.]+ [KMG]?i?B))?/.exec(
    line
  )
  const part = found && parts[found[1]]
  if (!part) return null
  const percent = Math.min(Number(found[2]), 100)
  const amount = found[3] ? `, ${found[3]}` : ''
  return {
    note: `${part.words} ${percent}%${amount}`,
    progress: part.from + (part.share * percent) / 100,
  }
}

/** Reads git's stderr to its end, tells how far it is now and then, and answers the last of it. */
export async function followProgress(
  stderr: Readable,
  tell: (note: string, progress: number) => Promise<void>
): Promise<string> {
  let kept = ''
  const cutter = new LineCutter({ longest: MAX_STDERR_BYTES, returns: true })
  let told = 0
  for await (const chunk of stderr) {
    kept = (kept + String(chunk)).slice(-MAX_STDERR_BYTES)
    const latest = cutter
      .push(chunk)
      .map(progressOf)
      .findLast((found) => found !== null)
    if (!latest || Date.now() - told < PROGRESS_INTERVAL_MS) continue
    told = Date.now()
    await tell(latest.note, latest.progress)
  }
  return kept
}
