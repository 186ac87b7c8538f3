import type { DateTime } from 'luxon'

export function createSeededRandom(seed: number) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  /** Returns a whole number between `from` and `to`, both included. */
  const number = (from: number, to: number) => from + Math.floor(next() * (to - from + 1))
  const pick = <Item>(items: Item[]): Item => items[number(0, items.length - 1)]
  const chance = (part: number) => next() < part
  /** Returns a later time, often close to midnight in Dhaka or UTC, or to the end of a month. */
  const moment = (after: DateTime): DateTime => {
    const later = after.plus({ hours: number(1, 90) })
    const midnight = chance(0.5) ? later.startOf('day') : later.toUTC().startOf('day')
    const beside = midnight.plus({ seconds: pick([-1, 0, 1, number(-3_600, 3_600)]) })
    const end = later
      .endOf('month')
      .plus({ seconds: number(-7_200, 7_200) })
      .startOf('second')
    const asked = chance(0.5) ? beside : chance(0.15) ? end : later
    return asked > after ? asked.setZone(after.zone) : later
  }
  return { number, pick, chance, moment }
}
