import { formatDateAndSeconds } from '@ui/date_text'

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Matches a line of PM2 such as `2026-11-28T13:04:10: text`. */
const PM2_TIME_PATTERN = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?=: )/
/** Matches a line of Apache's error log such as `[Sat Nov 28 13:04:10.123456 2026] text`. */
const APACHE_ERROR_TIME_PATTERN =
  /^\[[A-Z][a-z]{2} ([A-Z][a-z]{2}) (\d\d) (\d\d:\d\d:\d\d)(?:\.\d+)? (\d{4})\]/
/** Matches a line of Apache's access log such as `192.0.2.7 - - [28/Nov/2026:13:04:10 +0000] "GET /`. */
const APACHE_ACCESS_TIME_PATTERN =
  /^(\S+ \S+ [^["]*)\[(\d\d)\/([A-Z][a-z]{2})\/(\d{4}):(\d\d:\d\d:\d\d) ([+-]\d\d)(\d\d)\]/

const isoDay = (year: string, month: string, day: string) =>
  `${year}-${String(months.indexOf(month) + 1).padStart(2, '0')}-${day}`

/**
 * Converts the time of a log line to a time zone. Lines without a known time stay unchanged.
 * @param utcOffset the machine's UTC offset in minutes. Access logs contain their own offset
 */
export function localizeLogLine(line: string, zone: string, utcOffset: number): string {
  const fromMachine = (local: string) => {
    const ms = Date.parse(`${local}Z`) - utcOffset * 60_000
    return Number.isNaN(ms) ? '' : formatDateAndSeconds(ms, zone)
  }
  return line
    .replace(PM2_TIME_PATTERN, (all, time: string) => fromMachine(time) || all)
    .replace(
      APACHE_ERROR_TIME_PATTERN,
      (all, month: string, day: string, time: string, year: string) => {
        const text = fromMachine(`${isoDay(year, month, day)}T${time}`)
        return text ? `[${text}]` : all
      }
    )
    .replace(APACHE_ACCESS_TIME_PATTERN, (all: string, before: string, ...parts: string[]) => {
      const [day, month, year, time, hours, minutes] = parts
      const text = formatDateAndSeconds(
        `${isoDay(year!, month!, day!)}T${time}${hours}:${minutes}`,
        zone
      )
      return text ? `${before}[${text}]` : all
    })
}
