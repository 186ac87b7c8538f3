const sizes = ['B', 'KB', 'MB', 'GB', 'TB', 'PB']

/** Formats a number with two decimals below 10, one below 100 and none above. Omits trailing zeros: 0.42, 12.5, 118. */
function formatThreeDigits(value: number) {
  const places = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2
  return String(Number(value.toFixed(places)))
}

/** Formats bytes. 1 KB is 1,024 bytes, as in packages. */
export function formatBytes(value: number) {
  let power = 0
  let rest = value
  while (rest >= 1023.5 && power < sizes.length - 1) {
    rest /= 1024
    power += 1
  }
  return `${power === 0 ? Math.round(rest) : formatThreeDigits(rest)} ${sizes[power]}`
}

export function formatBytesPerSecond(value: number) {
  return `${formatBytes(value)}/s`
}

export function formatPercent(value: number) {
  return `${Number(value.toFixed(value >= 9.95 ? 0 : 1))} %`
}

/**
 * Returns a round maximum for the axis: 1, 2 or 5 times a power of ten. It is at most 0.01 % below the value. With base
 * 1,024, the number is round in KB, MB and so on.
 */
export function roundUpAxisMax(value: number, base: 10 | 1024 = 10) {
  if (value <= 0) return 1
  const unit = base === 1024 ? 1024 ** Math.max(0, Math.floor(Math.log(value) / Math.log(1024))) : 1
  const rest = value / unit
  const ten = 10 ** Math.floor(Math.log10(rest))
  const step = [1, 2, 5, 10].find((one) => one * ten >= rest * 0.9999) ?? 10
  return base === 1024 && step * ten === 1000 ? 1024 * unit : step * ten * unit
}
