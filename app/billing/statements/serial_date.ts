/**
 * Serial number of 29 February 1900, which spreadsheets count although it did not exist. Serial
 * numbers from March 1900 on are one too high.
 */
const FALSE_LEAP_DAY = 60
const EPOCH_1904 = Date.UTC(1904, 0, 1)

/**
 * Converts a spreadsheet's serial date, days since 1900 or 1904, to local time: `2026-11-24
 * 09:10:00`. Whole days give only the date, and values below 1 only the time. Returns `null` if the
 * text is no such date.
 */
export function formatSerialDate(text: string, is1904: boolean): string | null {
  const serial = Number(text)
  if (!(serial >= 0 && serial < 2_958_466)) return null
  const epoch = is1904 ? EPOCH_1904 : Date.UTC(1899, 11, serial < FALSE_LEAP_DAY ? 31 : 30)
  const shown = new Date(epoch + Math.round(serial * 86_400) * 1_000)
  const [day, time] = shown.toISOString().slice(0, 19).split('T')
  if (serial < 1) return time
  return Number.isInteger(serial) ? day : `${day} ${time}`
}
