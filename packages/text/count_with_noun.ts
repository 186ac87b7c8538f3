/** Returns `1 file` or `1,200 files`. */
export function countWithNoun(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}

/** Returns seconds, or minutes from two minutes on. */
export function formatWait(seconds: number): string {
  return seconds >= 120
    ? countWithNoun(Math.ceil(seconds / 60), 'minute')
    : countWithNoun(seconds, 'second')
}
