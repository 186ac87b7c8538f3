import { describeMissingContent, findMissingContent } from '#git/missing_content'
import { type Machine, MachineError } from '#packages/machine/main'
import { test } from '@japa/runner'

function machineThatPrints(output: string, code = 0): Machine {
  const result = { code, signal: null, stdout: Buffer.from(output), stderr: Buffer.alloc(0) }
  return { exec: async () => result } as unknown as Machine
}

test.group('Missing submodules and LFS files', () => {
  test('reports a failed search without failing the operation', async ({ assert }) => {
    const lost = {
      exec: async () => {
        throw new MachineError('timeout', 'too slow')
      },
    } as unknown as Machine
    for (const machine of [lost, machineThatPrints('', 21), machineThatPrints('', 137)]) {
      const missing = await findMissingContent(machine, 'shop')
      assert.deepEqual(missing.unknown, ['submodules', 'lfsFiles'])
      assert.match(describeMissingContent(missing).join(), /submodules and files of Git LFS are/)
    }
    const part = await findMissingContent(machineThatPrints('slib/a\0slib/a\0S\0./b'), 'shop')
    assert.deepEqual(part, { submodules: ['lib/a'], lfsFiles: [], unknown: ['lfsFiles'] })
    const whole = await findMissingContent(machineThatPrints('S\0./b c\nd\0L\0'), 'shop')
    assert.deepEqual(whole, { submodules: [], lfsFiles: ['b c\nd'], unknown: [] })
    assert.deepEqual(describeMissingContent({ submodules: [], lfsFiles: [], unknown: [] }), [])
  })
})
