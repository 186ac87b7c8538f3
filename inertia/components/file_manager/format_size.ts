const units = ['B', 'KB', 'MB', 'GB', 'TB']

/** Returns for example `0 B`, `1.5 KB`, `20 MB`. */
export function formatSize(bytes: number) {
  let value = bytes
  let unit = 0
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024
    unit++
  }
  const text = unit === 0 || value >= 10 ? String(Math.round(value)) : value.toFixed(1)
  return `${text} ${units[unit]}`
}
