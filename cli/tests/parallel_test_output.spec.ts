import { test } from '@japa/runner'
import { GroupedOutput, GROUP_SEPARATOR } from '../parallel_test_output.js'

test.group('Output of parallel tests', () => {
  test('a group’s output is printed when the group is complete, and the rest at the end', ({
    assert,
  }) => {
    const shown: string[] = []
    const output = new GroupedOutput((text) => shown.push(text.toString()))
    const bytes = Buffer.from(`one ✔\n  two\n${GROUP_SEPARATOR}three\n`)
    output.hear(bytes.subarray(0, 5))
    assert.deepEqual(shown, [])
    output.hear(bytes.subarray(5))
    assert.deepEqual(shown, ['one ✔\n  two\n'])
    output.hear(Buffer.from(`four\n${GROUP_SEPARATOR}`))
    output.hear(Buffer.from('five'))
    output.end()
    output.end()
    assert.deepEqual(shown, ['one ✔\n  two\n', 'three\nfour\n', 'five'])
  })
})
