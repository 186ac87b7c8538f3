/** Spreadsheets take 1900 for a leap year: days from March on are one too many. */
const FALSE_LEAP_DAY = 60
const EPOCH_1904 = Date.UTC(1904, 0, 1)

/**
 * The date that a spreadsheet keeps as days since 1900 (or 1904): `2026-11-24 09:10:00`, as it is shown there, in no zone.
 * Null for what is none.
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
