import { formatDateAndSeconds } from '@ui/date_text'

/**
 * Matches a line such as `2026-11-28T13:04:10+0000 host mariadbd[812]: 2026-11-28 13:04:10 0 [Note] text`. The
 * journal's time has an offset from UTC. MariaDB writes the same local time without an offset.
 */
const JOURNAL_TIME_PATTERN =
  /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)([+-]\d\d):?(\d\d)( \S+ [^\s:]+: )?(?:(\d{4}-\d\d-\d\d) {1,2}(\d{1,2}:\d\d:\d\d))?/
/** Matches a line of MongoDB such as `{"t":{"$date":"2026-11-28T13:04:10.123+00:00"},`. */
const MONGODB_TIME_PATTERN = /^(\{"t":\{"\$date":")([^"]+)(?="\})/

/** Converts the times of a database server's log line to a time zone. Lines without a known time stay unchanged. */
export function localizeDatabaseLogLine(line: string, zone: string): string {
  return line
    .replace(JOURNAL_TIME_PATTERN, (all: string, ...parts: (string | undefined)[]) => {
      const [time, hours, minutes, source = '', day, clock] = parts
      const offset = `${hours}:${minutes}`
      const text = formatDateAndSeconds(`${time}${offset}`, zone)
      if (!text) return all
      if (!day) return `${text}${source}`
      const own = formatDateAndSeconds(`${day}T${clock!.padStart(8, '0')}${offset}`, zone)
      return `${text}${source}${own || `${day} ${clock}`}`
    })
    .replace(MONGODB_TIME_PATTERN, (all: string, begin: string, time: string) => {
      const text = formatDateAndSeconds(time, zone)
      return text ? `${begin}${text}` : all
    })
}
