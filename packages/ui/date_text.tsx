import { useRegion } from './region.js'

/**
 * Formats: date (Nov 22, 2026), clock (7:05 PM), moment (Nov 22, 2026, 7:05 PM), staff (7:05 PM, 22-11-2026;
 * docs/product.md, "Lists and pages"), exact (with seconds and time zone).
 */
export type DateFormat = 'date' | 'clock' | 'moment' | 'staff' | 'exact'

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const dayOnly = /^\d{4}-\d{2}-\d{2}$/u

/**
 * Returns a date's parts separately, or null if the date is invalid. JavaScript engines put different spaces before AM
 * and PM, so server and browser would render different texts.
 */
function partsOf(value: string | number | Date, zone: string) {
  const plainDay = typeof value === 'string' && dayOnly.test(value)
  const date = new Date(value)
  if (Number.isNaN(date.getTime())) return null
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: plainDay ? 'UTC' : zone,
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
    hourCycle: 'h23',
  })
  const parts: Record<string, number> = {}
  for (const { type, value: text } of format.formatToParts(date)) parts[type] = Number(text)
  return { ...parts, plainDay } as Record<
    'year' | 'month' | 'day' | 'hour' | 'minute' | 'second',
    number
  > & {
    plainDay: boolean
  }
}

const two = (number: number) => String(number).padStart(2, '0')

/**
 * Formats a date. Returns '' if it is invalid. A date without a time, such as `2026-11-22`, stays the same day in every
 * time zone.
 */
export function formatDate(value: string | number | Date, shape: DateFormat, zone: string) {
  const parts = partsOf(value, zone)
  if (!parts) return ''
  const { year, month, day, hour, minute } = parts
  const date = `${months[month - 1]} ${day}, ${year}`
  const clock = `${hour % 12 || 12}:${two(minute)} ${hour < 12 ? 'AM' : 'PM'}`
  const shapes = {
    date,
    clock,
    moment: `${date}, ${clock}`,
    staff: `${clock}, ${two(day)}-${two(month)}-${year}`,
    exact: formatExactTime(value, zone),
  }
  return shapes[shape]
}

/** Formats a date like `Nov 22, 2026, 7:05:10 PM`. Returns '' if it is invalid. */
export function formatDateAndSeconds(value: string | number | Date, zone: string) {
  const parts = partsOf(value, zone)
  if (!parts) return ''
  const { year, month, day, hour, minute, second, plainDay } = parts
  const date = `${months[month - 1]} ${day}, ${year}`
  if (plainDay) return date
  return `${date}, ${hour % 12 || 12}:${two(minute)}:${two(second)} ${hour < 12 ? 'AM' : 'PM'}`
}

export function formatExactTime(value: string | number | Date, zone: string) {
  const text = formatDateAndSeconds(value, zone)
  return text && !(typeof value === 'string' && dayOnly.test(value)) ? `${text} (${zone})` : text
}

interface DateTextProps {
  value: string | number | Date | null | undefined
  shape?: DateFormat
}

export function DateText({ value, shape = 'date' }: DateTextProps) {
  const { timeZone: zone } = useRegion()
  const text = value === null || value === undefined ? '' : formatDate(value, shape, zone)
  if (!text || value === null || value === undefined) return <>-</>
  return (
    <time
      dateTime={typeof value === 'string' ? value : new Date(value).toISOString()}
      title={formatExactTime(value, zone)}
      style={{ whiteSpace: 'nowrap' }}
    >
      {text}
    </time>
  )
}
