import { expect, it } from 'vitest'
import { localizeLogLine } from './log_times'

const dhaka = (line: string, offset = 0) => localizeLogLine(line, 'Asia/Dhaka', offset)

it('times in each kind of log are shown in local time', () => {
  expect(dhaka('2026-11-28T20:04:10: ready')).toBe('Nov 29, 2026, 2:04:10 AM: ready')
  expect(dhaka('[Sat Nov 28 13:04:10.123456 2026] [core:alert] [pid 8] AH1')).toBe(
    '[Nov 28, 2026, 7:04:10 PM] [core:alert] [pid 8] AH1'
  )
  expect(dhaka('192.0.2.7 - - [28/Nov/2026:13:04:10 +0000] "GET / HTTP/1.1" 200')).toBe(
    '192.0.2.7 - - [Nov 28, 2026, 7:04:10 PM] "GET / HTTP/1.1" 200'
  )
})

it('log times have the instance’s UTC offset, except in access logs, which contain their own offset', () => {
  expect(dhaka('2026-11-28T13:04:10: ready', 360)).toBe('Nov 28, 2026, 1:04:10 PM: ready')
  expect(dhaka('192.0.2.7 - ada [28/Nov/2026:13:04:10 -0530] "GET /"', 360)).toBe(
    '192.0.2.7 - ada [Nov 29, 2026, 12:34:10 AM] "GET /"'
  )
})

it('log lines without a known time stay unchanged', () => {
  for (const line of [
    'plain',
    'at 2026-11-28T13:04:10: no',
    '[Sat Xyz 28 13:04:10 2026] a',
    '192.0.2.7 - - [99/Nov/2026:13:04:10 +0000] "GET /"',
    '',
  ])
    expect(dhaka(line)).toBe(line)
})
