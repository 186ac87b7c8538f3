/** Returns a count with its noun, such as `1 file` or `1,200 files`. */
export function countWithNoun(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}

/** Formats a waiting time that is given in seconds. From two minutes on, the text is in minutes. */
export function formatWait(seconds: number): string {
  return seconds >= 120
    ? countWithNoun(Math.ceil(seconds / 60), 'minute')
    : countWithNoun(seconds, 'second')
}
