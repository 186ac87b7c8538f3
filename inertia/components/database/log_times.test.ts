import { expect, it } from 'vitest'
import { localizeDatabaseLogLine } from './log_times'

const dhaka = (line: string) => localizeDatabaseLogLine(line, 'Asia/Dhaka')

it('times in logs of the journal and of MariaDB are shown in local time', () => {
  for (const offset of ['+0000', '+00:00'])
    expect(
      dhaka(`2026-11-28T20:04:10${offset} web mariadbd[812]: 2026-11-28 20:04:09 0 [Note] ready`)
    ).toBe('Nov 29, 2026, 2:04:10 AM web mariadbd[812]: Nov 29, 2026, 2:04:09 AM 0 [Note] ready')
  expect(dhaka('2026-11-28T09:04:10+0600 web mariadbd[812]: 2026-11-28  9:04:10 0 [Note]')).toBe(
    'Nov 28, 2026, 9:04:10 AM web mariadbd[812]: Nov 28, 2026, 9:04:10 AM 0 [Note]'
  )
  expect(dhaka('2026-11-28T13:04:10+0000 web systemd[1]: Started')).toBe(
    'Nov 28, 2026, 7:04:10 PM web systemd[1]: Started'
  )
})

it('times in logs of MongoDB are shown in local time', () => {
  expect(dhaka('{"t":{"$date":"2026-11-28T13:04:10.123+00:00"},"s":"I"}')).toBe(
    '{"t":{"$date":"Nov 28, 2026, 7:04:10 PM"},"s":"I"}'
  )
})

it('log lines without a known time stay unchanged', () => {
  for (const line of [
    'plain',
    '-- Boot 1 --',
    '2026-99-28T13:04:10+0000 web systemd[1]: x',
    '{"t":{"$date":"soon"}}',
  ])
    expect(dhaka(line)).toBe(line)
})
