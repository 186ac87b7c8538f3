import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from '@japa/runner'
import { heapLimitArgs, HEAP_LIMITS_MB } from '../heap_limits.js'
import { processSpec, envNamesByRole, type RoleName } from '../roles.js'

const BYTES_PER_MIB = 1024 ** 2
const names = Object.keys(envNamesByRole) as RoleName[]

async function node(...argv: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output }
}

test.group('Heap limits', () => {
  test('every process starts with its heap limit', ({ assert }) => {
    for (const name of names) {
      const { argv, env } = processSpec(name, '/build', { BERTH_HOME: '/home' })
      assert.includeMembers(argv, heapLimitArgs(name), name)
      assert.isBelow(argv.indexOf(heapLimitArgs(name)[0]), argv.indexOf('/build/bin/role.js'), name)
      assert.equal(env.MALLOC_ARENA_MAX, '2', name)
    }
  })

  test('Node keeps to the heap limit, plus the memory for young objects', async ({ assert }) => {
    const program =
      "process.stdout.write(String(require('node:v8').getHeapStatistics().heap_size_limit))"
    for (const name of names) {
      const { code, output } = await node(...heapLimitArgs(name), '-e', program)
      assert.equal(code, 0, output)
      const [, half] = /--max-semi-space-size=(\d+)/.exec(heapLimitArgs(name).join(' '))!
      // Node adds the memory for young objects to the limit: two semi-spaces, and the size of one more for large
      // objects (`Heap::MaxReserved` of V8).
      assert.closeTo(
        Number(output) / BYTES_PER_MIB,
        HEAP_LIMITS_MB[name] + 3 * Number(half),
        4,
        name
      )
    }
  })

  test('buffers do not count: a process can hold four times its heap limit in buffers', async ({
    assert,
  }) => {
    const program = `
      const kept = []
      for (let mb = 0; mb < ${4 * HEAP_LIMITS_MB.broker}; mb += 8) kept.push(Buffer.alloc(8 * ${BYTES_PER_MIB}))
      process.stdout.write(String(kept.length))`
    const { code, output } = await node(...heapLimitArgs('broker'), '-e', program)
    assert.equal(code, 0, output)
    assert.equal(output, String((4 * HEAP_LIMITS_MB.broker) / 8))
  })
})
