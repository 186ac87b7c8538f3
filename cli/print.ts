import { styleText } from 'node:util'

type Colour = Parameters<typeof styleText>[0]

export function print(line = ''): void {
  process.stdout.write(line + '\n')
}

/** If the terminal does not support colours, returns the text unchanged. */
export function colorize(colour: Colour, text: string): string {
  return styleText(colour, text, { stream: process.stdout })
}

/** Such as `0.4 s` or `2 min 5 s`. */
export function formatDuration(milliseconds: number): string {
  const seconds = milliseconds / 1000
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
}

export async function runStep<T>(
  title: string,
  work: () => Promise<T>,
  outcome: (result: T) => string = () => ''
): Promise<T> {
  const started = performance.now()
  print(`${colorize('dim', '→')} ${title}`)
  try {
    const result = await work()
    const summary = outcome(result)
    print(
      `${colorize('green', '✓')} ${title}${summary && `: ${summary}`} ${colorize('dim', `(${formatDuration(performance.now() - started)})`)}`
    )
    return result
  } catch (error) {
    print(
      `${colorize('red', '✗')} ${title} failed after ${formatDuration(performance.now() - started)}`
    )
    throw error
  }
}

export function formatTable(head: string[], rows: string[][]): string {
  const widths = head.map((cell, column) =>
    Math.max(cell.length, ...rows.map((row) => row[column]?.length ?? 0))
  )
  const line = (row: string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]))
      .join('  ')
      .trimEnd()
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}
