import { WebRoot } from '#files/machine/web_root'
import { machineErrorToAppError } from '#core/machine_errors'
import { AppError } from '#core/app_error'
import { type Machine, MachineError } from '#packages/machine/main'
import { test } from '@japa/runner'

/** Returns a fake machine whose programs the customer has replaced: each one prints this text. */
function machineThatSays(text: string): Machine {
  const answer = { code: 0, signal: null, stdout: Buffer.from(text), stderr: Buffer.alloc(0) }
  return { exec: async () => answer } as unknown as Machine
}

test.group('A machine with manipulated programs', () => {
  test('causes an expected error if its output is invalid')
    .with([
      'no separator',
      ['f', 'f', '1', 'now', '644', 'a', '', ''].join('\0'),
      '\n',
      '0 0',
      '{"a":1}',
    ])
    .run(async ({ assert }, text) => {
      const root = new WebRoot(machineThatSays(text))
      const asked = [
        () => root.list('shop'),
        () => root.info('shop/a.txt'),
        () => root.read('shop/a.txt', 100),
      ]
      for (const ask of asked) {
        const error = await ask().then(
          () => null,
          (thrown: unknown) => thrown
        )
        assert.instanceOf(error, AppError, `${text}: ${error}`)
      }
    })
})

test.group('An unreachable machine', () => {
  test('causes a 503 error with what to do: {$self}')
    .with(['unreachable', 'timeout', 'closed', 'refused-host-key', 'refused-credentials'] as const)
    .run(({ assert }, kind) => {
      const refusal = machineErrorToAppError(new MachineError(kind, 'inner words'))
      assert.equal(refusal.status, 503)
      assert.isAbove(refusal.retryAfter!, 0)
      assert.notInclude(refusal.message, 'inner words')
      assert.match(refusal.message, /Try again|ask support/)
    })

  test('an endless response causes status 502', ({ assert }) => {
    assert.equal(machineErrorToAppError(new MachineError('too-much-output', '')).status, 502)
  })
})
