import { formatDateAndSeconds } from '@ui/date_text'

/**
 * `2026-11-28T13:04:10+0000 host mariadbd[812]: 2026-11-28 13:04:10 0 [Note] text`. The journal names its offset from
 * UTC. MariaDB writes the same local time without one.
 */
const JOURNAL_TIME_PATTERN =
  /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)([+-]\d\d):?(\d\d)( \S+ [^\s:]+: )?(?:(\d{4}-\d\d-\d\d) {1,2}(\d{1,2}:\d\d:\d\d))?/
/** `{"t":{"$date":"2026-11-28T13:04:10.123+00:00"},`, of MongoDB. */
const MONGODB_TIME_PATTERN = /^(\{"t":\{"\$date":")([^"]+)(?="\})/

/** Shows the times of a log line of a database server in a time zone. Lines without a known time stay as they are. */
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
